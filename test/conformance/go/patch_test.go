package conformance

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	coordination "k8s.io/client-go/applyconfigurations/coordination/v1"
	core "k8s.io/client-go/applyconfigurations/core/v1"
)

func TestPatch(t *testing.T) {
	t.Parallel()
	nodes := clientset(t, config(t)).CoreV1().Nodes()
	_, err := nodes.Create(t.Context(), node("patched"), metav1.CreateOptions{})
	must(t, err)

	patch := func(kind types.PatchType, body string) (*corev1.Node, error) {
		return nodes.Patch(t.Context(), "patched", kind, []byte(body), metav1.PatchOptions{})
	}

	for name, each := range map[string]struct {
		kind types.PatchType
		body string
	}{
		"json":      {types.JSONPatchType, `[{"op":"add","path":"/metadata/labels/json","value":"yes"}]`},
		"merge":     {types.MergePatchType, `{"metadata":{"labels":{"merge":"yes"}}}`},
		"strategic": {types.StrategicMergePatchType, `{"metadata":{"labels":{"strategic":"yes"}}}`},
	} {
		t.Run(name, func(t *testing.T) {
			patched, err := patch(each.kind, each.body)
			must(t, err)
			if patched.Labels[name] != "yes" || patched.Labels["test"] != "patched" {
				t.Fatalf("labels are %v", patched.Labels)
			}
		})
	}

	forced := metav1.ApplyOptions{FieldManager: "test", Force: true}
	t.Run("apply", func(t *testing.T) {
		wanted := core.Node("patched").WithLabels(map[string]string{"apply": "yes"})
		applied, err := nodes.Apply(t.Context(), wanted, forced)
		must(t, err)
		if applied.Labels["apply"] != "yes" {
			t.Fatalf("labels are %v", applied.Labels)
		}
	})

	t.Run("apply status", func(t *testing.T) {
		ready := core.NodeCondition().WithType(corev1.NodeReady).WithStatus(corev1.ConditionTrue)
		wanted := core.Node("patched").WithStatus(core.NodeStatus().WithConditions(ready))
		applied, err := nodes.ApplyStatus(t.Context(), wanted, forced)
		must(t, err)
		if applied.Status.Conditions[0].Status != corev1.ConditionTrue {
			t.Fatalf("conditions are %v", applied.Status.Conditions)
		}
	})

	t.Run("a patch that cannot be", func(t *testing.T) {
		_, err := patch(types.MergePatchType, `{"metadata":{"labels":{"not a label":"x"}}}`)
		expect(t, apierrors.IsInvalid, err)
	})
}

func TestApplyCreates(t *testing.T) {
	t.Parallel()
	leases := clientset(t, config(t)).CoordinationV1().Leases("default")
	spec := coordination.LeaseSpec().WithHolderIdentity("me").WithLeaseDurationSeconds(15)
	wanted := coordination.Lease("applied", "default").WithSpec(spec)
	for range 2 {
		applied, err := leases.Apply(t.Context(), wanted, metav1.ApplyOptions{FieldManager: "test"})
		must(t, err)
		if *applied.Spec.HolderIdentity != "me" {
			t.Fatalf("applied %v", applied)
		}
	}
}
