// Package onnxjudge reads ONNX models and tensors. Its tests judge MPSGraph on the software device
// with them: they build a model's nodes with methods of package mps/graph, run them and compare
// with the expected outputs.
//
// The cases of the ONNX project's node suite are not a part of this repository. The test of the
// suite reads them from the folder in PUREMETAL_ONNX_DATA, which contains a folder for each case
// (model.onnx, test_data_set_0); without it, the test is skipped. testdata/listed.txt names the
// cases that do not pass, each with its reason; PUREMETAL_UPDATE=1 writes it.
package onnxjudge
