package lsp_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/patchls/patchls/internal/testkit/chance"
	"github.com/patchls/patchls/internal/testkit/headless"
	"github.com/patchls/patchls/internal/testkit/personas"
)

// toolTests are the tests of the reference tools that are more than one call.
var toolTests = map[string]func(*testing.T){
	"TestW2_7StackedAnchorsNarrow":                  TestW2_7StackedAnchorsNarrow,
	"TestW2_8AnAnchorDoesNotHideAmbiguity":          TestW2_8AnAnchorDoesNotHideAmbiguity,
	"TestW2_9ContextIsNotWritten":                   TestW2_9ContextIsNotWritten,
	"TestW2_10LooseMatchesAndHints":                 TestW2_10LooseMatchesAndHints,
	"TestW2_11HunksInAnyOrder":                      TestW2_11HunksInAnyOrder,
	"TestW2_15AContextPatchNeedsNoReadAfterIt":      TestW2_15AContextPatchNeedsNoReadAfterIt,
	"TestW2_20TheNamesMustAgree":                    TestW2_20TheNamesMustAgree,
	"TestW1_1SeveralPlacesAreAnError":               TestW1_1SeveralPlacesAreAnError,
	"TestW1_2NoPhantomLastLine":                     TestW1_2NoPhantomLastLine,
	"TestW1_3AFinalNewlineOfContentIsNoLine":        TestW1_3AFinalNewlineOfContentIsNoLine,
	"TestW1_4LineEndsOfTheFileStay":                 TestW1_4LineEndsOfTheFileStay,
	"TestW1_5NoChangeIsAnError":                     TestW1_5NoChangeIsAnError,
	"TestW1_6TheAnswerSaysWhere":                    TestW1_6TheAnswerSaysWhere,
	"TestW1_7NullThrowsNothing":                     TestW1_7NullThrowsNothing,
	"TestW1_8RangesAndSeveralEditsInOneCall":        TestW1_8RangesAndSeveralEditsInOneCall,
	"TestW1_10ArgumentsWithoutAPartAreAnError":      TestW1_10ArgumentsWithoutAPartAreAnError,
	"TestW1_11NotFoundIsShort":                      TestW1_11NotFoundIsShort,
	"TestW2_1APastTheEndRangeReplacesNothing":       TestW2_1APastTheEndRangeReplacesNothing,
	"TestW2_2AppendAfterAnUnterminatedLine":         TestW2_2AppendAfterAnUnterminatedLine,
	"TestW2_3OutOfRangeIsAnError":                   TestW2_3OutOfRangeIsAnError,
	"TestW2_4LineEndsStay":                          TestW2_4LineEndsStay,
	"TestW2_14WriteAndPartialReads":                 TestW2_14WriteAndPartialReads,
	"TestW2_15OwnEditsNeedNoReadAgain":              TestW2_15OwnEditsNeedNoReadAgain,
	"TestW2_16OnePrefix":                            TestW2_16OnePrefix,
	"TestW2_17WrongTypesAreSaid":                    TestW2_17WrongTypesAreSaid,
	"TestW2_18ExactReplaceAnywhere":                 TestW2_18ExactReplaceAnywhere,
	"TestW2_19TheAnswerShowsThePlace":               TestW2_19TheAnswerShowsThePlace,
	"TestW2_21OnlyWhatChangedIsShown":               TestW2_21OnlyWhatChangedIsShown,
	"TestW2_22UnsavedTextIsEditedWhereItIs":         TestW2_22UnsavedTextIsEditedWhereItIs,
	"TestW3_1SnippetsHaveTheFilesNumbers":           TestW3_1SnippetsHaveTheFilesNumbers,
	"TestW3_2SnippetsShowTheEdit":                   TestW3_2SnippetsShowTheEdit,
	"TestW3_3InsertKeepsTheRest":                    TestW3_3InsertKeepsTheRest,
	"TestW3_4EveryPlaceIsListed":                    TestW3_4EveryPlaceIsListed,
	"TestW3_5AnEmptyTextIsNoPlace":                  TestW3_5AnEmptyTextIsNoPlace,
	"TestW3_6NoChangeIsAnError":                     TestW3_6NoChangeIsAnError,
	"TestW3_8CreateOverwritesNothing":               TestW3_8CreateOverwritesNothing,
	"TestW3_9TheNoticeIsNoLine":                     TestW3_9TheNoticeIsNoLine,
	"TestW3_11EditsAtOnceAllLand":                   TestW3_11EditsAtOnceAllLand,
	"TestW3_7UndoEditWorks":                         TestW3_7UndoEditWorks,
	"TestW3_12BlocksAreExact":                       TestW3_12BlocksAreExact,
	"TestA16ReadIsFreshUntilTheLineChanges":         TestA16ReadIsFreshUntilTheLineChanges,
	"TestA17StaleUntilReadAgain":                    TestA17StaleUntilReadAgain,
	"TestA18OneForOneChains":                        TestA18OneForOneChains,
	"TestA19AnInsertionKeepsTheAgentsNumbers":       TestA19AnInsertionKeepsTheAgentsNumbers,
	"TestA20EachAgentReadsForItself":                TestA20EachAgentReadsForItself,
	"TestA24WriteThenPatch":                         TestA24WriteThenPatch,
	"TestA26AContextPatchLeavesTheNumbers":          TestA26AContextPatchLeavesTheNumbers,
	"TestA27LineEditsNeedARead":                     TestA27LineEditsNeedARead,
	"TestRevStandsForARead":                         TestRevStandsForARead,
	"TestOwnEditDoesNotBlessNumbersThatMovedUnseen": TestOwnEditDoesNotBlessNumbersThatMovedUnseen,
	"TestADryRunIsNoEditOfItsOwn":                   TestADryRunIsNoEditOfItsOwn,
	"TestNumbersAmongEqualLines":                    TestNumbersAmongEqualLines,
}

// toolPersona is the editor of the tests of the reference tools, nil for the
// compliant one. Those tests run one at a time.
var toolPersona *personas.Persona

// startTool starts a session for a test of a reference tool.
func startTool(t *testing.T, files map[string]string) *session {
	t.Helper()
	if toolPersona == nil {
		return start(t, files, headless.Options{})
	}
	return startInBubble(t, files, toolPersona.Options(headless.Options{}))
}

// toolExceptions are those that do not hold in some editors.
var toolExceptions = []struct{ tests, in, why string }{
	{"TestW1_4LineEndsOfTheFileStay, TestW3_3InsertKeepsTheRest", "eglot, sublime", "the buffer has LF where the file has CRLF"},
	{"TestW2_4LineEndsStay", "vscode, vscode-plugin, neovim, neovim-plugin, sublime", "a text has line ends of one kind"},
	{"TestW2_22UnsavedTextIsEditedWhereItIs", "neovim, neovim-plugin, eglot, sublime", "the agent reads before the editor tells of the typing, and edits the line that it was shown"},
	{"TestA16ReadIsFreshUntilTheLineChanges", "neovim", "a stale edit is dropped with a yes, so the error is not_settled, with the same words"},
}

func isToolException(test, persona string) bool {
	for _, e := range toolExceptions {
		if slices.Contains(strings.Split(e.tests, ", "), test) && slices.Contains(strings.Split(e.in, ", "), persona) {
			return true
		}
	}
	return false
}

// TestToolsUnderEveryPersona runs them in editors as they were measured.
func TestToolsUnderEveryPersona(t *testing.T) {
	defer func() { toolPersona = nil }()
	for _, p := range chance.Sample(measuredPersonas()) {
		toolPersona = &p
		t.Run(p.Name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				for _, name := range slices.Sorted(maps.Keys(toolTests)) {
					if isToolException(name, p.Name) {
						continue
					}
					failed := t.Failed()
					toolTests[name](t)
					if t.Failed() && !failed {
						t.Logf("that was %s", name)
					}
				}
			})
		})
	}
}
