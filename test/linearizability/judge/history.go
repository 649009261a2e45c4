package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"math"

	"github.com/anishathalye/porcupine"
)

// Call, Seen and Entry are the twins of those in ../history.ts, where each field is explained.
type Call struct {
	Do      string  `json:"do"`
	Version int64   `json:"version"`
	UID     string  `json:"uid"`
	Token   string  `json:"token"`
	Holder  *string `json:"holder"`
	From    int64   `json:"from"`
}

type Seen struct {
	Version     int64    `json:"version"`
	UID         string   `json:"uid"`
	Token       string   `json:"token"`
	Holder      string   `json:"holder"`
	Transitions int64    `json:"transitions"`
	List        []string `json:"list"`
	Count       int64    `json:"count"`
}

type Entry struct {
	ID         int    `json:"id"`
	Key        string `json:"key"`
	Kind       string `json:"kind"`
	Client     int    `json:"client"`
	InvokedUs  int64  `json:"invokedUs"`
	ReturnedUs int64  `json:"returnedUs"`
	Call       Call   `json:"call"`
	Outcome    string `json:"outcome"`
	Status     int    `json:"status"`
	Why        string `json:"why"`
	Seen       *Seen  `json:"seen"`
}

// A node with a long list makes a long line.
const longestLine = 16 << 20

// readHistory returns the entries of each key, and the keys in the order of their first entry.
func readHistory(from io.Reader) (map[string][]Entry, []string, error) {
	histories := map[string][]Entry{}
	var keys []string
	lines := bufio.NewScanner(from)
	lines.Buffer(make([]byte, 1<<16), longestLine)
	for number := 1; lines.Scan(); number++ {
		if len(lines.Bytes()) == 0 {
			continue
		}
		var entry Entry
		if err := json.Unmarshal(lines.Bytes(), &entry); err != nil {
			return nil, nil, fmt.Errorf("line %d of the history: %w", number, err)
		}
		if _, known := histories[entry.Key]; !known {
			keys = append(keys, entry.Key)
		}
		histories[entry.Key] = append(histories[entry.Key], entry)
	}
	return histories, keys, lines.Err()
}

// operations hands one key's history to porcupine. A call without an answer may take effect at any
// time until the end, and never: at the very end none can tell. Once an answer shows its token it
// has taken effect, which spares the search most of the open ends.
func operations(history []Entry) []porcupine.Operation {
	shown := map[string]int64{}
	for _, entry := range history {
		for _, token := range tokensIn(entry.Seen) {
			if first, known := shown[token]; !known || entry.ReturnedUs < first {
				shown[token] = entry.ReturnedUs
			}
		}
	}
	made := make([]porcupine.Operation, 0, len(history))
	for _, entry := range history {
		// What failed without a trace and without an effect says nothing.
		if entry.Call.Do == "read" && entry.Outcome != "ok" && entry.Why != "missing" {
			continue
		}
		returned := entry.ReturnedUs
		if entry.Outcome == "unknown" {
			returned = math.MaxInt64
			if first, known := shown[entry.Call.Token]; known && entry.Call.Token != "" {
				// Its own answer may be later than that of the call that showed it.
				returned = max(first, entry.InvokedUs)
			}
		}
		made = append(made, porcupine.Operation{
			ClientId: entry.Client,
			Input:    entry,
			Output:   entry,
			Call:     entry.InvokedUs,
			Return:   returned,
		})
	}
	return made
}

func tokensIn(seen *Seen) []string {
	if seen == nil {
		return nil
	}
	return append([]string{seen.Token}, seen.List...)
}
