package diag

// The codes of types stand here, as constants and in the table.

var typesCodes = []Info{}
