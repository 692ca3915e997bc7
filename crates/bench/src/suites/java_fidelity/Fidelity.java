import java.util.Map;
import java.util.TreeMap;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.launcher.Launcher;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/**
 * Runs classes of unit tests, and says of each how many tests there are, a hash over their outcomes, and which did not succeed. A byte of
 * standard input is kept meanwhile in a field and an array, so that there is symbolic data if it is symbolic.
 */
public class Fidelity {
    static int field;
    static final int[] array = new int[1];

    public static void main(String[] names) throws Exception {
        field = System.in.read();
        array[0] = field + 1;
        Launcher launcher = LauncherFactory.create();
        for (String name : names) {
            Map<String, String> seen = new TreeMap<>();
            LauncherDiscoveryRequest request =
                    LauncherDiscoveryRequestBuilder.request().selectors(DiscoverySelectors.selectClass(name)).build();
            try {
                launcher.execute(request, new TestExecutionListener() {
                    @Override
                    public void executionSkipped(TestIdentifier test, String reason) {
                        seen.put(test.getUniqueId(), "skipped");
                    }

                    @Override
                    public void executionFinished(TestIdentifier test, TestExecutionResult result) {
                        String why = result.getThrowable().map(t -> " " + t.getClass().getName()).orElse("");
                        seen.put(test.getUniqueId(), result.getStatus() + why);
                    }
                });
            } catch (RuntimeException e) {
                seen.put("launcher", e.toString());
            }
            int hash = 0;
            for (Map.Entry<String, String> e : seen.entrySet()) {
                hash = 31 * hash + (e.getKey() + e.getValue()).hashCode();
                if (e.getValue().equals("SUCCESSFUL")) continue;
                System.out.println("TEST\t" + name + "\t" + e.getKey().replaceAll(".*/", "") + "\t" + e.getValue());
            }
            System.out.println("CLASS\t" + name + "\t" + seen.size() + "\t" + hash);
        }
        System.out.flush();
        System.exit(0);
    }
}
