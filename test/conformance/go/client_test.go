// Package conformance is an ordinary Go program on client-go, run against Leasehold: nothing in it
// knows that the server is not a Kubernetes. KUBECONFIG says where the server is.
package conformance

import (
	"context"
	"os"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

const (
	within = 30 * time.Second
	look   = 50 * time.Millisecond
)

// config is what clientcmd makes of the kubeconfig. The limits of a client are its own business,
// and here many tests share one.
func config(t *testing.T) *rest.Config {
	t.Helper()
	path := os.Getenv("KUBECONFIG")
	if path == "" {
		t.Fatal("KUBECONFIG is not set: npm run test:clients starts a server and sets it")
	}
	config, err := clientcmd.BuildConfigFromFlags("", path)
	must(t, err)
	config.QPS = -1
	config.UserAgent = "leasehold-conformance"
	return config
}

// jsonConfig is for pods, which are not read in protobuf.
func jsonConfig(t *testing.T) *rest.Config {
	t.Helper()
	config := config(t)
	config.ContentType = runtime.ContentTypeJSON
	return config
}

func clientset(t *testing.T, config *rest.Config) *kubernetes.Clientset {
	t.Helper()
	client, err := kubernetes.NewForConfig(config)
	must(t, err)
	return client
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// expect names the kind of error that has to come back, as apierrors.IsConflict does.
func expect(t *testing.T, is func(error) bool, err error) {
	t.Helper()
	if !is(err) {
		t.Fatalf("another error was expected than %v", err)
	}
}

// eventually waits for a condition with a deadline, never for a duration.
func eventually(t *testing.T, what string, holds func(context.Context) (bool, error)) {
	t.Helper()
	err := wait.PollUntilContextTimeout(t.Context(), look, within, true, holds)
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
}
