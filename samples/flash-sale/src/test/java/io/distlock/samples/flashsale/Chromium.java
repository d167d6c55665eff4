package io.distlock.samples.flashsale;

import io.distlock.test.process.Executables;
import java.io.File;
import java.util.List;
import java.util.Map;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.openqa.selenium.By;
import org.openqa.selenium.OutputType;
import org.openqa.selenium.chrome.ChromeDriver;
import org.openqa.selenium.chrome.ChromeDriverService;
import org.openqa.selenium.chrome.ChromeOptions;
import org.openqa.selenium.logging.LogEntry;
import org.openqa.selenium.logging.LogType;
import org.openqa.selenium.logging.LoggingPreferences;

/** The system's Chromium without a window. It reaches this machine and nothing else. */
final class Chromium implements AutoCloseable {

    /** Warns of each Chromium that is newer than itself; kept, because loggers that nobody keeps forget their level. */
    private static final Logger QUIET = Logger.getLogger("org.openqa.selenium");

    private final ChromeDriver driver;

    private Chromium(ChromeDriver driver) {
        this.driver = driver;
    }

    static Chromium start() {
        QUIET.setLevel(Level.SEVERE);
        ChromeDriverService service = new ChromeDriverService.Builder()
                .usingDriverExecutable(program("chromedriver", "chromium-driver"))
                .usingAnyFreePort()
                .build();
        ChromeDriver driver = new ChromeDriver(service, options());
        // For a build that is stopped in the middle of a test. To quit twice does no harm.
        Runtime.getRuntime().addShutdownHook(new Thread(driver::quit, "end-chromium"));
        return new Chromium(driver);
    }

    /** The profile is in a temporary folder that the driver makes, and removes with the browser. */
    private static ChromeOptions options() {
        ChromeOptions options = new ChromeOptions();
        options.setBinary(program("chromium", "chromium"));
        options.addArguments(
                "--headless=new",
                // Its sandbox does not run as root, and containers have little shared memory.
                "--no-sandbox",
                "--disable-dev-shm-usage",
                "--disable-gpu",
                "--hide-scrollbars",
                "--no-first-run",
                "--disable-background-networking",
                "--disable-component-update",
                "--disable-sync",
                "--lang=en-GB",
                "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE 127.0.0.1");
        LoggingPreferences logs = new LoggingPreferences();
        logs.enable(LogType.BROWSER, Level.WARNING);
        options.setCapability(ChromeOptions.LOGGING_PREFS, logs);
        return options;
    }

    private static File program(String name, String debianPackage) {
        return Executables.onPath(name)
                .orElseThrow(() -> new IllegalStateException(
                        "no %s on PATH. Install one: apt-get install %s".formatted(name, debianPackage)))
                .toFile();
    }

    /** A viewport of that width, whatever a window's least width is. */
    void size(int width, int height) {
        driver.executeCdpCommand(
                "Emulation.setDeviceMetricsOverride",
                Map.of("width", width, "height", height, "deviceScaleFactor", 1, "mobile", false));
    }

    /** The colours that the viewer prefers: light or dark. */
    void prefer(String scheme) {
        driver.executeCdpCommand(
                "Emulation.setEmulatedMedia",
                Map.of("features", List.of(Map.of("name", "prefers-color-scheme", "value", scheme))));
    }

    void open(String address) {
        driver.get(address);
    }

    void click(String id) {
        driver.findElement(By.id(id)).click();
    }

    /** What can be seen of an element. */
    String text(String id) {
        return driver.findElement(By.id(id)).getText();
    }

    Object run(String script) {
        return driver.executeScript(script);
    }

    /** What the console warns of since it was last asked. */
    List<String> console() {
        return driver.manage().logs().get(LogType.BROWSER).getAll().stream()
                .map(LogEntry::toString)
                .toList();
    }

    byte[] picture() {
        return driver.getScreenshotAs(OutputType.BYTES);
    }

    @Override
    public void close() {
        driver.quit();
    }
}
