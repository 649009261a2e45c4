package conformance

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/metadata/metadatainformer"
	"k8s.io/client-go/tools/cache"
)

// TestSharedInformers keeps three kinds in step with the server, through a cut wire and through
// versions that the server has forgotten.
func TestSharedInformers(t *testing.T) {
	t.Parallel()
	config := config(t)
	wire := throughWire(config)
	selected := informers.WithTweakListOptions(func(options *metav1.ListOptions) {
		options.LabelSelector = trioSelector
	})
	factory := informers.NewSharedInformerFactoryWithOptions(clientset(t, config), 0, selected)
	stores := []cache.Store{
		factory.Core().V1().Nodes().Informer().GetStore(),
		factory.Core().V1().Pods().Informer().GetStore(),
		factory.Coordination().V1().Leases().Informer().GetStore(),
	}
	factory.Start(t.Context().Done())
	factory.WaitForCacheSync(t.Context().Done())
	if wire.count(isWatchList) != len(stores) || wire.count(isList) != 0 {
		t.Fatal("the informers did not begin with a WatchList each, and nothing else")
	}
	hold := func(t *testing.T, names ...string) {
		t.Helper()
		for _, store := range stores {
			holds(t, store, names...)
		}
	}
	written := trio{clientset(t, jsonConfig(t))}

	t.Run("see what comes and goes", func(t *testing.T) {
		written.create(t, "one")
		written.create(t, "two")
		hold(t, "one", "two")
		written.remove(t, "one")
		hold(t, "two")
	})
	t.Run("go on after a cut", func(t *testing.T) {
		before := wire.count(isWatchList)
		wire.cut()
		written.create(t, "three")
		written.remove(t, "two")
		hold(t, "three")
		if wire.count(isWatchList) != before {
			t.Fatal("a cut alone must not make an informer read everything again")
		}
	})
	t.Run("begin again after 410", func(t *testing.T) {
		before := wire.count(isWatchList)
		wire.cutAndForget(len(stores))
		written.create(t, "four")
		written.remove(t, "three")
		hold(t, "four")
		if wire.count(isWatchList) != before+len(stores) {
			t.Fatal("not every informer was told 410")
		}
	})
}

// listAndWatch does as informers did before WatchList, and as those of older programs still do.
type listAndWatch struct{ cache.ListerWatcher }

func (listAndWatch) IsWatchListSemanticsUnSupported() bool { return true }

func TestListAndWatch(t *testing.T) {
	t.Parallel()
	config := config(t)
	wire := throughWire(config)
	core := clientset(t, config).CoreV1()
	only := fields.OneTermEqualSelector("metadata.name", "listed")
	source := cache.NewListWatchFromClient(core.RESTClient(), "nodes", "", only)
	informer := cache.NewSharedIndexInformer(listAndWatch{source}, &corev1.Node{}, 0, nil)
	go informer.RunWithContext(t.Context())
	cache.WaitForCacheSync(t.Context().Done(), informer.HasSynced)

	_, err := core.Nodes().Create(t.Context(), node("listed"), metav1.CreateOptions{})
	must(t, err)
	holds(t, informer.GetStore(), "listed")
	before := wire.count(isList)
	wire.cutAndForget(1)
	must(t, core.Nodes().Delete(t.Context(), "listed", metav1.DeleteOptions{}))
	holds(t, informer.GetStore())
	if wire.count(isWatchList) != 0 || wire.count(isList) == before {
		t.Fatal("an informer that is told 410 lists again")
	}
}

func TestMetadataInformer(t *testing.T) {
	t.Parallel()
	client, err := metadata.NewForConfig(config(t))
	must(t, err)
	only := func(options *metav1.ListOptions) { options.FieldSelector = "metadata.name=metadata" }
	factory := metadatainformer.NewFilteredSharedInformerFactory(client, 0, "", only)
	informer := factory.ForResource(corev1.SchemeGroupVersion.WithResource("nodes")).Informer()
	factory.Start(t.Context().Done())
	factory.WaitForCacheSync(t.Context().Done())

	nodes := clientset(t, config(t)).CoreV1().Nodes()
	_, err = nodes.Create(t.Context(), node("metadata"), metav1.CreateOptions{})
	must(t, err)
	holds(t, informer.GetStore(), "metadata")
	must(t, nodes.Delete(t.Context(), "metadata", metav1.DeleteOptions{}))
	holds(t, informer.GetStore())
}
