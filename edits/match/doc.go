// Package match decides whether two texts are the same except for what agents get wrong when
// they quote one: line ends, blanks around lines, and characters that look alike.
//
//	Fold{Trailing: true, Unicode: true}.Text("say “hi” \r\n") == "say \"hi\"\n"
//
// [Fold.Apply] also maps places in the folded text back to the original text.
//
// [Tiers] (fold.go) is the table of the tiers, in the order in which they are tried. A new tier needs a row there, a name in
// edits/plan.go, a note in command/locate.go and place/place.go, and a field of [Fold] if it passes over something new.
package match
