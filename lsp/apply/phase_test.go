package apply

import "testing"

func TestPhases(t *testing.T) {
	for name, c := range map[string]struct {
		from phase
		on   event
		in   situation
		to   phase
	}{
		"nothing has come":                    {sent, documentChanged, situation{}, sent},
		"the edit is there":                   {sent, documentChanged, situation{visible: true}, grace},
		"the file was closed":                 {sent, documentChanged, situation{visible: true, closed: true}, sent},
		"a change while the editor has time":  {grace, documentChanged, situation{visible: true}, grace},
		"a change while it flushes":           {flushing, documentChanged, situation{answered: true, visible: true}, flushing},
		"a yes":                               {sent, answered, situation{answered: true, applied: true, canFlush: true}, grace},
		"a no":                                {sent, answered, situation{answered: true, flushAtOnce: true}, grace},
		"a yes of one that previews":          {sent, answered, situation{answered: true, applied: true, canFlush: true, flushAtOnce: true}, flushing},
		"a yes of one that shows the edit":    {grace, answered, situation{answered: true, applied: true, visible: true, flushAtOnce: true}, grace},
		"no answer":                           {grace, delayOver, situation{visible: true, canFlush: true}, expired},
		"no answer, and the edit is gone":     {grace, delayOver, situation{canFlush: true}, sent},
		"a no, and nothing followed":          {grace, delayOver, situation{answered: true, canFlush: true, mayKeepQuiet: true}, expired},
		"a yes, held back":                    {grace, delayOver, situation{answered: true, applied: true, canFlush: true, mayKeepQuiet: true}, flushing},
		"a yes, held back for nobody knows":   {grace, delayOver, situation{answered: true, applied: true, mayKeepQuiet: true}, grace},
		"a yes, and nothing can be held back": {grace, delayOver, situation{answered: true, applied: true}, expired},
		"all is sent that was held back":      {flushing, flushed, situation{answered: true, applied: true, canFlush: true}, expired},
	} {
		if to := c.from.next(c.on, c.in); to != c.to {
			t.Errorf("%s: phase %d, want %d", name, to, c.to)
		}
	}
}
