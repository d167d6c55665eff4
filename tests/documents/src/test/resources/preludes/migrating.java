import net.javacrumbs.shedlock.core.LockProvider;

class Page {}
