package conformance

import (
	"slices"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/discovery/cached/disk"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/openapi3"
	"k8s.io/client-go/restmapper"
)

func TestDiscovery(t *testing.T) {
	t.Parallel()
	plain, err := discovery.NewDiscoveryClientForConfig(config(t))
	must(t, err)
	folder := t.TempDir()
	onDisk, err := disk.NewCachedDiscoveryClientForConfig(config(t), folder, folder, time.Minute)
	must(t, err)
	whole := resources(t, plain)

	t.Run("aggregated in one answer", func(t *testing.T) {
		groups, lists, failed, err := plain.GroupsAndMaybeResources()
		if err != nil || len(failed) != 0 || len(lists) == 0 || len(groups.Groups) == 0 {
			t.Fatalf("%v %v %v %v", groups, lists, failed, err)
		}
	})
	for name, client := range map[string]discovery.DiscoveryInterface{
		"legacy":    plain.WithLegacy(),
		"in memory": memory.NewMemCacheClient(plain),
		"on disk":   onDisk,
	} {
		t.Run(name+" tells the same", func(t *testing.T) {
			if told := resources(t, client); !slices.Equal(told, whole) {
				t.Fatalf("%v\nis not %v", told, whole)
			}
		})
	}
	t.Run("maps kinds and short names", func(t *testing.T) {
		mapper := restmapper.NewDeferredDiscoveryRESTMapper(memory.NewMemCacheClient(plain))
		mapping, err := mapper.RESTMapping(schema.GroupKind{Group: "coordination.k8s.io", Kind: "Lease"})
		must(t, err)
		if mapping.Resource.Resource != "leases" || mapping.Scope.Name() != "namespace" {
			t.Fatalf("mapped to %+v", mapping)
		}
		short := restmapper.NewShortcutExpander(mapper, plain, nil)
		found, err := short.ResourceFor(schema.GroupVersionResource{Resource: "no"})
		if err != nil || found.Resource != "nodes" {
			t.Fatalf("no is %v, %v", found, err)
		}
	})
	t.Run("version", func(t *testing.T) {
		version, err := plain.ServerVersion()
		if err != nil || version.Major != "1" || version.Minor == "" {
			t.Fatalf("%v, %v", version, err)
		}
	})
	t.Run("OpenAPI", func(t *testing.T) {
		spec, err := openapi3.NewRoot(plain.OpenAPIV3()).GVSpec(schema.GroupVersion{Version: "v1"})
		if err != nil || spec.Components.Schemas == nil {
			t.Fatalf("%v, %v", spec, err)
		}
	})
}

// resources lists `version/resource verbs` for everything that is offered.
func resources(t *testing.T, client discovery.DiscoveryInterface) []string {
	t.Helper()
	_, lists, err := client.ServerGroupsAndResources()
	must(t, err)
	var told []string
	for _, list := range lists {
		for _, each := range list.APIResources {
			verbs := slices.Sorted(slices.Values(each.Verbs))
			told = append(told, list.GroupVersion+"/"+each.Name+" "+strings.Join(verbs, ","))
		}
	}
	slices.Sort(told)
	return told
}
