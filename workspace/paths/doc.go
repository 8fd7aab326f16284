// Package paths knows the names of documents, and which documents an agent may reach: the identity of a document by its URI
// ([Key]), the policy of roots and protected files ([Policy]), the file that an agent's path leads to ([Target]), and the
// text of a file that no editor has open ([File]).
//
// A path is checked with its symbolic links followed, and a file is read only if
// it is still the one that was checked. Nothing here writes to a disk.
package paths
