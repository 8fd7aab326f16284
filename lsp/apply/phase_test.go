package apply

import "testing"

func TestPhases(t *testing.T) {
	for name, c := range map[string]struct {
		from phase
		on   event
		in   situation
		to   phase
	}{
		"nothing has come":                    {waiting, onChange, situation{}, waiting},
		"the edit is there":                   {waiting, onChange, situation{visible: true}, grace},
		"the file was closed":                 {waiting, onChange, situation{visible: true, closed: true}, waiting},
		"a change while the editor has time":  {grace, onChange, situation{visible: true}, grace},
		"a change while it flushes":           {flushing, onChange, situation{answered: true, visible: true}, flushing},
		"a yes":                               {waiting, onAnswer, situation{answered: true, applied: true, canFlush: true}, grace},
		"a no":                                {waiting, onAnswer, situation{answered: true, flushAtOnce: true}, grace},
		"a yes of one that previews":          {waiting, onAnswer, situation{answered: true, applied: true, canFlush: true, flushAtOnce: true}, flushing},
		"a yes of one that shows the edit":    {grace, onAnswer, situation{answered: true, applied: true, visible: true, flushAtOnce: true}, grace},
		"no answer":                           {grace, onDelay, situation{visible: true, canFlush: true}, expired},
		"no answer, and the edit is gone":     {grace, onDelay, situation{canFlush: true}, waiting},
		"a no, and nothing followed":          {grace, onDelay, situation{answered: true, canFlush: true, mayKeepQuiet: true}, expired},
		"a yes, held back":                    {grace, onDelay, situation{answered: true, applied: true, canFlush: true, mayKeepQuiet: true}, flushing},
		"a yes, held back for nobody knows":   {grace, onDelay, situation{answered: true, applied: true, mayKeepQuiet: true}, grace},
		"a yes, and nothing can be held back": {grace, onDelay, situation{answered: true, applied: true}, expired},
		"all is sent that was held back":      {flushing, onFlush, situation{answered: true, applied: true, canFlush: true}, expired},
	} {
		if to := c.from.next(c.on, c.in); to != c.to {
			t.Errorf("%s: phase %d, want %d", name, to, c.to)
		}
	}
}
