package conformance

import (
	"os"
	"testing"

	authenticationv1 "k8s.io/api/authentication/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
)

func TestSelfSubjectReview(t *testing.T) {
	t.Parallel()
	reviews := clientset(t, config(t)).AuthenticationV1().SelfSubjectReviews()
	review := &authenticationv1.SelfSubjectReview{}
	answer, err := reviews.Create(t.Context(), review, metav1.CreateOptions{})
	must(t, err)
	if user := answer.Status.UserInfo; user.Username == "" || len(user.Groups) == 0 {
		t.Fatalf("I am %+v", user)
	}
}

// TestSelfSubjectAccessReview asks whether it may, and then it tries: the answers agree.
func TestSelfSubjectAccessReview(t *testing.T) {
	t.Parallel()
	administrator, viewer := config(t), config(t)
	viewer.BearerToken = os.Getenv("VIEWER")
	for name, each := range map[string]struct {
		config *rest.Config
		may    bool
	}{"administrator": {administrator, true}, "viewer": {viewer, false}} {
		t.Run(name, func(t *testing.T) {
			client := clientset(t, each.config)
			if may := mayDeleteNodes(t, client); may != each.may {
				t.Fatalf("may delete nodes: %v", may)
			}
			err := client.CoreV1().Nodes().Delete(t.Context(), "nobody", metav1.DeleteOptions{})
			if apierrors.IsForbidden(err) == each.may {
				t.Fatalf("deleting says %v", err)
			}
		})
	}
}

func mayDeleteNodes(t *testing.T, client kubernetes.Interface) bool {
	t.Helper()
	attributes := &authorizationv1.ResourceAttributes{Verb: "delete", Resource: "nodes"}
	spec := authorizationv1.SelfSubjectAccessReviewSpec{ResourceAttributes: attributes}
	review := &authorizationv1.SelfSubjectAccessReview{Spec: spec}
	reviews := client.AuthorizationV1().SelfSubjectAccessReviews()
	answer, err := reviews.Create(t.Context(), review, metav1.CreateOptions{})
	must(t, err)
	return answer.Status.Allowed
}

func TestSelfSubjectRulesReview(t *testing.T) {
	t.Parallel()
	reviews := clientset(t, config(t)).AuthorizationV1().SelfSubjectRulesReviews()
	spec := authorizationv1.SelfSubjectRulesReviewSpec{Namespace: "default"}
	review := &authorizationv1.SelfSubjectRulesReview{Spec: spec}
	answer, err := reviews.Create(t.Context(), review, metav1.CreateOptions{})
	must(t, err)
	if len(answer.Status.ResourceRules) == 0 {
		t.Fatalf("status is %+v", answer.Status)
	}
}

func TestWrongToken(t *testing.T) {
	t.Parallel()
	config := config(t)
	config.BearerToken = "wrong"
	_, err := clientset(t, config).CoreV1().Nodes().List(t.Context(), metav1.ListOptions{})
	expect(t, apierrors.IsUnauthorized, err)
}
