import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.extended.leaderelection.LeaderCallbacks;
import io.fabric8.kubernetes.client.extended.leaderelection.LeaderElectionConfigBuilder;
import io.fabric8.kubernetes.client.extended.leaderelection.LeaderElector;
import io.fabric8.kubernetes.client.extended.leaderelection.resourcelock.LeaseLock;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** The Java client of many operators: an informer, and leader election. */
public class Checks {
  static final int WITHIN_SECONDS = 30;

  interface Check {
    void run(KubernetesClient client) throws Exception;
  }

  public static void main(String[] args) {
    boolean allGood = true;
    try (KubernetesClient client = new KubernetesClientBuilder().build()) {
      allGood &= passes("an informer sees a node come, change and go", Checks::informer, client);
      allGood &= passes("a released lease is taken by the next candidate", Checks::election, client);
    }
    System.exit(allGood ? 0 : 1);
  }

  static boolean passes(String name, Check check, KubernetesClient client) {
    try {
      check.run(client);
      System.out.println(name + " ... ok");
      return true;
    } catch (Throwable failure) {
      System.out.println(failure);
      System.out.println(name + " ... FAIL");
      return false;
    }
  }

  static void informer(KubernetesClient client) throws Exception {
    String name = "fabric8-node";
    BlockingQueue<String> seen = new LinkedBlockingQueue<>();
    var handler =
        new ResourceEventHandler<Node>() {
          void tell(String what, Node node) {
            if (node.getMetadata().getName().equals(name)) seen.add(what);
          }

          public void onAdd(Node node) {
            tell("added", node);
          }

          public void onUpdate(Node before, Node node) {
            var labels = node.getMetadata().getLabels();
            if (labels != null && labels.containsKey("changed")) tell("changed", node);
          }

          public void onDelete(Node node, boolean unknown) {
            tell("deleted", node);
          }
        };
    try (var informer = client.nodes().inform(handler)) {
      Node node = new NodeBuilder().withNewMetadata().withName(name).endMetadata().build();
      client.nodes().resource(node).create();
      expect(seen, "added");
      client.nodes().withName(name).edit(
          old -> new NodeBuilder(old).editMetadata().addToLabels(Map.of("changed", "yes")).endMetadata().build());
      expect(seen, "changed");
      client.nodes().withName(name).delete();
      String next = seen.poll(WITHIN_SECONDS, TimeUnit.SECONDS);
      // The monitor may have judged the node meanwhile, which is one more change.
      while ("changed".equals(next)) next = seen.poll(WITHIN_SECONDS, TimeUnit.SECONDS);
      if (!"deleted".equals(next)) throw new IllegalStateException("expected deleted, saw " + next);
    }
  }

  static void expect(BlockingQueue<String> seen, String wanted) throws Exception {
    String told = seen.poll(WITHIN_SECONDS, TimeUnit.SECONDS);
    if (!wanted.equals(told)) throw new IllegalStateException("expected " + wanted + ", saw " + told);
  }

  static void election(KubernetesClient client) throws Exception {
    var firstLeads = new CompletableFuture<Void>();
    var secondLeads = new CompletableFuture<Void>();
    var first = elector(client, "first", firstLeads).start();
    firstLeads.get(WITHIN_SECONDS, TimeUnit.SECONDS);
    var second = elector(client, "second", secondLeads).start();
    first.cancel(true);
    secondLeads.get(WITHIN_SECONDS, TimeUnit.SECONDS);
    second.cancel(true);
  }

  static LeaderElector elector(KubernetesClient client, String who, CompletableFuture<Void> leads) {
    var callbacks = new LeaderCallbacks(() -> leads.complete(null), () -> {}, holder -> {});
    return client
        .leaderElector()
        .withConfig(
            new LeaderElectionConfigBuilder()
                .withName("fabric8")
                .withLock(new LeaseLock("default", "fabric8", who))
                .withLeaseDuration(Duration.ofSeconds(15))
                .withRenewDeadline(Duration.ofSeconds(10))
                .withRetryPeriod(Duration.ofSeconds(2))
                .withReleaseOnCancel(true)
                .withLeaderCallbacks(callbacks)
                .build())
        .build();
  }
}
