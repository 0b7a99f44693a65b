package diag

// The codes of checker stand here, as constants and in the table.

var checkCodes = []Info{}
