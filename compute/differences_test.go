package compute

import "testing"

// standinsDiffer returns why a test, or a part of one, does not hold with the stand-ins for Apple's frameworks, "" for one that does.
func standinsDiffer(test string) string {
	const noMembers = "their reflection has no members of structures and no packed vectors"
	switch test {
	case "TestLaunchErrors/missing", "TestLaunchErrors/field":
		return noMembers
	case "TestTexturesStay", "TestNilTextures", "TestTextureArray":
		return "their reflection has no types of textures"
	}
	return ""
}

// skipDifference skips a test that is known not to hold here.
func skipDifference(t *testing.T) {
	t.Helper()
	if why := standinsDiffer(t.Name()); why != "" && standin() {
		t.Skip("differs on the stand-ins, which are wrong: " + why)
	}
}
