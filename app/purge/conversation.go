package purge

import (
	"errors"
	"io/fs"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
)

// ChatsFolder holds conversations, below a repository's state folder.
const ChatsFolder = "chats"

const MaxConversation = 32 << 20 // largest size of one in bytes

// ConversationID matches the ids of conversations.
var ConversationID = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$`) })

// ConversationIDs lists the conversations in a folder by the time of their last write, oldest
// first.
func ConversationIDs(folder string) ([]string, error) {
	items, err := os.ReadDir(folder)
	if err != nil {
		return nil, IgnoreAbsent(err)
	}
	used := map[string]time.Time{}
	var ids []string
	for _, item := range items {
		id, ok := strings.CutSuffix(item.Name(), ".json")
		info, err := item.Info()
		if errors.Is(err, fs.ErrNotExist) || !ok || !ConversationID().MatchString(id) {
			continue
		}
		if err != nil {
			return nil, err
		}
		ids, used[id] = append(ids, id), info.ModTime()
	}
	slices.SortFunc(ids, func(a, b string) int {
		if c := used[a].Compare(used[b]); c != 0 {
			return c
		}
		return strings.Compare(a, b)
	})
	return ids, nil
}
