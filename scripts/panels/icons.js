// Grafana's icons come from its server, and pages from files may not fetch files. So they come from here.
import angleDown from './node_modules/@grafana/ui/dist/public/img/icons/unicons/angle-down.svg';
import infoCircle from './node_modules/@grafana/ui/dist/public/img/icons/unicons/info-circle.svg';

const icons = { 'angle-down.svg': angleDown, 'info-circle.svg': infoCircle };
const fetchElsewhere = window.fetch;

window.fetch = async (address, ...options) => {
  const icon = icons[String(address).split('/').at(-1)];
  return icon
    ? new Response(icon, { headers: { 'Content-Type': 'image/svg+xml' } })
    : fetchElsewhere(address, ...options);
};
