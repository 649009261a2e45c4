// The judge: is there an order of all calls, each between its invocation and its answer, in which
// every answer is true? Reads a history, asks porcupine about one key after another, writes one
// line of JSON for each, and for a key without such an order a page that shows where it ends.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"hash/fnv"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/anishathalye/porcupine"
)

type verdict struct {
	Key        string `json:"key"`
	Operations int    `json:"operations"`
	// Ok, Illegal, or Unknown when the time was not enough.
	Result string `json:"result"`
	// The page of a key that is not Ok.
	Page   string `json:"page,omitempty"`
	TookMs int64  `json:"tookMs"`
}

func main() {
	path := flag.String("history", "", "the history, one entry a line")
	out := flag.String("out", ".", "where the pages go")
	limit := flag.Duration("limit", time.Minute, "how long one key may take")
	flag.Parse()
	if err := judge(*path, *out, *limit); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
}

func judge(path, out string, limit time.Duration) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	histories, keys, err := readHistory(file)
	if err != nil {
		return err
	}
	lines := json.NewEncoder(os.Stdout)
	for _, key := range keys {
		told, err := judgeKey(key, histories[key], out, limit)
		if err != nil {
			return err
		}
		if err := lines.Encode(told); err != nil {
			return err
		}
	}
	return nil
}

func judgeKey(key string, history []Entry, out string, limit time.Duration) (verdict, error) {
	model, err := modelOf(history[0].Kind)
	if err != nil {
		return verdict{}, err
	}
	started := time.Now()
	result, info := porcupine.CheckOperationsVerbose(model, operations(history), limit)
	told := verdict{Key: key, Operations: len(history), Result: string(result)}
	told.TookMs = time.Since(started).Milliseconds()
	if result != porcupine.Ok {
		told.Page = filepath.Join(out, strings.ReplaceAll(key, "/", "-")+".html")
		err = porcupine.VisualizePath(model, info, told.Page)
	}
	return told, err
}

func modelOf(kind string) (porcupine.Model, error) {
	var model porcupine.Model
	switch kind {
	case "lease":
		model = leaseModel(true)
	case "nodeLease":
		model = leaseModel(false)
	case "node":
		model = nodeModel()
	default:
		return model, fmt.Errorf("there is no model of %q", kind)
	}
	model.Hash = func(state any) uint64 {
		sum := fnv.New64a()
		fmt.Fprintf(sum, "%v", state)
		return sum.Sum64()
	}
	return model, nil
}

// describe is one call and its answer in a few words.
func describe(input, _ any) string {
	entry := input.(Entry)
	call := entry.Call
	asked := call.Do
	if call.Holder != nil {
		asked += fmt.Sprintf(" by %q", *call.Holder)
	}
	if call.Token != "" {
		asked += " " + call.Token
	}
	if call.Version != 0 {
		asked += fmt.Sprintf(" if version %d", call.Version)
	}
	if call.Do == "count" {
		asked += fmt.Sprintf(" from %d", call.From)
	}
	return fmt.Sprintf("#%d %s -> %s", entry.ID, asked, answered(entry))
}

func answered(entry Entry) string {
	seen := entry.Seen
	switch {
	case entry.Outcome == "refused":
		return fmt.Sprintf("%d %s", entry.Status, entry.Why)
	case entry.Outcome == "unknown":
		return fmt.Sprintf("unknown (%d)", entry.Status)
	case seen == nil:
		return "ok"
	case entry.Kind == "node":
		return fmt.Sprintf("%s %v count %d, version %d", seen.Token, seen.List, seen.Count, seen.Version)
	}
	return fmt.Sprintf("%q number %d, %s, version %d", seen.Holder, seen.Transitions, seen.Token, seen.Version)
}
