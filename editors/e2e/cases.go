//go:build unix

package main

// allCases returns the cases in the order in which they run: those that end the editor
// come last.
func allCases() ([]testCase, error) {
	cases, err := readTextCases()
	return append(cases,
		testCase{"types-on", typesOn},
		testCase{"undo-while-typing", undoWhileTyping},
		testCase{"cursor-stays", cursorStays},
		testCase{"agent-undo", agentUndo},
		testCase{"carried-lines", carriedLines},
		testCase{"refused", refused},
		testCase{"two-agents", twoAgents},
		testCase{"agent-save", agentSave},
		testCase{"move-unsaved", moveUnsaved},
		testCase{"move-link", moveLink},
		testCase{"reload", reload},
		testCase{"changed-on-disk", changedOnDisk},
		testCase{"server-crash", serverCrash},
		testCase{"killed", killed},
	), err
}
