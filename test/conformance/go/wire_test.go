package conformance

import (
	"context"
	"net"
	"net/http"
	"net/url"
	"sync"

	"k8s.io/client-go/rest"
)

// wire lies between a client and the server: it remembers what was asked, can be cut, and can make
// a watch ask for a version that the server has long forgotten.
type wire struct {
	mutex       sync.Mutex
	connections []net.Conn
	asked       []url.Values
	outdated    int
}

func throughWire(config *rest.Config) *wire {
	w := &wire{}
	config.Dial = w.dial
	config.Wrap(func(next http.RoundTripper) http.RoundTripper {
		return roundTrip(func(request *http.Request) (*http.Response, error) {
			return next.RoundTrip(w.pass(request))
		})
	})
	return w
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(request *http.Request) (*http.Response, error) { return f(request) }

func (w *wire) dial(ctx context.Context, network, address string) (net.Conn, error) {
	connection, err := (&net.Dialer{}).DialContext(ctx, network, address)
	if err == nil {
		w.mutex.Lock()
		defer w.mutex.Unlock()
		w.connections = append(w.connections, connection)
	}
	return connection, err
}

func (w *wire) pass(request *http.Request) *http.Request {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	query := request.URL.Query()
	w.asked = append(w.asked, query)
	if w.outdated == 0 || query.Get("watch") != "true" {
		return request
	}
	w.outdated--
	query.Set("resourceVersion", "1")
	aged := request.Clone(request.Context())
	aged.URL.RawQuery = query.Encode()
	return aged
}

func (w *wire) cut() {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	for _, connection := range w.connections {
		connection.Close()
	}
	w.connections = nil
}

// cutAndForget makes the next so many watches ones that the server answers with 410.
func (w *wire) cutAndForget(watches int) {
	w.mutex.Lock()
	w.outdated = watches
	w.mutex.Unlock()
	w.cut()
}

// count says how often something was asked for.
func (w *wire) count(matches func(url.Values) bool) int {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	count := 0
	for _, query := range w.asked {
		if matches(query) {
			count++
		}
	}
	return count
}

func isWatchList(query url.Values) bool { return query.Get("sendInitialEvents") == "true" }

func isList(query url.Values) bool { return query.Get("watch") == "" }
