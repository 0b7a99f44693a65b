package bindgen

import (
	"bytes"
	"fmt"
	"os/exec"
	"strings"
)

// KitModule is the module that the generator reads; go.mod pins it.
const KitModule = "github.com/progrium/darwinkit"

// KitDir returns darwinkit's folder in the module cache, as the go command run in dir sees it.
func KitDir(dir string) (string, error) {
	cmd := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", KitModule)
	cmd.Dir = dir
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("find %s: %w: %s", KitModule, err, strings.TrimSpace(stderr.String()))
	}
	d := strings.TrimSpace(string(out))
	if d == "" {
		return "", fmt.Errorf("%s is not in the module cache: run go mod download", KitModule)
	}
	return d, nil
}
