// Package shares bounds how many commands of agents compute at a time, so that what the user
// types is taken in at once whatever agents ask for.
//
//	all := shares.New()
//	share := all.Share(ctx)        // of one command
//	share.Compute(func() { ... })  // waits until it has a share
//	share.Pause()                  // within: lets others have it, if they wait
package shares
