// Package secret knows what secrets look like: which files hold them by their names, and which texts are keys.
//
//	secret.File("/home/u/.aws/credentials")    // true
//	secret.InText("push with ghp_Jx7Qm2Zt9…")  // "a text that begins with ghp_"
//
// Guarantees: the package looks at no file, only at texts and names, and the time is linear in the text.
package secret
