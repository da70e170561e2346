// Package secret knows what secrets look like: which files hold them by their names, which names of values and
// variables are theirs, and which texts are keys. It hides them in all that hookrun prints or writes.
//
//	secret.File("/home/u/.aws/credentials")    // true
//	secret.Variable("STRIPE_KEY")              // true
//	secret.InText("push with ghp_Jx7Qm2Zt9…")  // "a text that begins with ghp_"
//	secret.Mask("mysql -phunter2 --token x")   // "mysql -p[redacted] --token [redacted]"
//
// Guarantees: the package looks at no file, only at texts and names, and the time is linear in the text. Mask hides
// each key that InText finds, JSON stays JSON, and a masked text stays the same
// if it is masked again. A program that calls
// no function of the package pays nothing.
//
// Not guaranteed: a secret without a telling name, shape or place is not known, and Mask also hides some texts that are
// no secrets.
package secret
