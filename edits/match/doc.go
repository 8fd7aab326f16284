// Package match says when two texts are the same but for what agents get wrong when they
// quote one: line ends, blanks around lines, and characters that look alike.
//
//	Fold{Trailing: true, Unicode: true}.Text("say “hi” \r\n") == "say \"hi\"\n"
//
// [Fold.Apply] keeps the way back, from a place in the folded text to the one in the text.
package match
