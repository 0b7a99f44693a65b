package objc

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Each case runs in a separate process, because the driver is chosen once.
func TestDriverChoice(t *testing.T) {
	if os.Getenv("OBJC_TEST_CHOICE") != "" {
		t.Skip("this is the child process")
	}
	native := DriverSoftware
	if runtime.GOOS == "darwin" {
		native = DriverApple
	}
	for _, c := range []struct {
		env, use string // use: comma-separated calls of Use
		want     string // driver in use, or a part of the error
	}{
		{"", "", native.String()},
		{"auto", "", native.String()},
		{"software", "", "software"},
		{"", "software", "software"},
		{"software", "software,auto,software", "software"},
		{"", "software,apple", "the software driver is already in use"},
		{"metal", "", `PUREMETAL_DRIVER="metal": want apple, software or auto`},
		{"software", "apple", "PUREMETAL_DRIVER=software selects another"},
	} {
		t.Run(c.env+"/"+c.use, func(t *testing.T) {
			out := runChild(t, "TestDriverChild", "OBJC_TEST_CHOICE=1", "OBJC_TEST_USE="+c.use, driverVariable+"="+c.env)
			require.Contains(t, out, "choice: "+c.want)
		})
	}
}

func TestDriverChild(t *testing.T) {
	if os.Getenv("OBJC_TEST_CHOICE") == "" {
		t.Skip("runs in the processes that TestDriverChoice starts")
	}
	names := map[string]Driver{"auto": DriverAuto, "apple": DriverApple, "software": DriverSoftware}
	for _, name := range strings.FieldsFunc(os.Getenv("OBJC_TEST_USE"), func(r rune) bool { return r == ',' }) {
		if err := Use(names[name]); err != nil {
			require.True(t, errors.Is(err, ErrDriver))
			fmt.Println("choice:", strings.TrimPrefix(err.Error(), "objc: cannot use the apple driver: "))
			return
		}
	}
	d, err := CurrentDriver()
	if err != nil {
		require.True(t, errors.Is(err, ErrDriver))
		fmt.Println("choice:", strings.TrimPrefix(err.Error(), "objc: "))
		return
	}
	fmt.Println("choice:", d)
	// Whatever was chosen works.
	s := NewString("x")
	require.Equal(t, "x", GoString(s))
	Release(s)
	if d == DriverSoftware {
		_, err = SoftwareRuntime()
		require.NoError(t, err)
	}
}

func TestDriverNames(t *testing.T) {
	require.Equal(t, "auto apple software Driver(9)",
		fmt.Sprint(DriverAuto, " ", DriverApple, " ", DriverSoftware, " ", Driver(9)))
	require.ErrorIs(t, Use(Driver(9)), ErrDriver)
	require.Equal(t, "macOS 13.3", MakeVersion(13, 3).String())
	require.Equal(t, "an unknown version of macOS", Version(0).String())
}
