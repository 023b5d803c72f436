// An HTTP server of Go's standard library: a text route and a JSON route.
package main

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
)

func text(w http.ResponseWriter, _ *http.Request) {
	fmt.Fprint(w, "Hello from Go")
}

func document(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	json.NewEncoder(w).Encode(map[string]string{"hello": "world"})
}

func main() {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	fmt.Printf("port=%d\n", listener.Addr().(*net.TCPAddr).Port)
	http.HandleFunc("/", text)
	http.HandleFunc("/json", document)
	panic(http.Serve(listener, nil))
}
