package conformance

// concepts lists all cases.
func concepts() []concept {
	return []concept{
		{"device", deviceCases()},
		{"buffer", bufferCases()},
		{"no copy", noCopyCases()},
		{"heap", heapCases()},
		{"library", libraryCases()},
		{"pipeline", pipelineCases()},
		{"pipeline limits", pipelineLimitCases()},
		{"compute", computeCases()},
		{"blit", blitCases()},
		{"command buffer", commandCases()},
		{"event", eventCases()},
		{"indirect commands", indirectCases()},
		{"counter", counterCases()},
		{"residency", residencyCases()},
		{"argument buffer", argumentCases()},
		{"argument resources", argumentResourceCases()},
		{"function table", functionTableCases()},
		{"binary archive", archiveCases()},
		{"heap resources", heapResourceCases()},
		{"texture", textureCases()},
		{"texture levels", levelCases()},
		{"texture shape", shapeCases()},
		{"texture view", viewCases()},
		{"texture copy", copyTextureCases()},
		{"texture format", formatCases()},
		{"misuse", misuseCases()},
		{"validation", validationCases()},
		{"concurrency", concurrencyCases()},
		{"metal 4 commands", metal4CommandCases()},
		{"metal 4 compute", metal4ComputeCases()},
		{"metal 4 copies and counters", metal4CopyCases()},
		{"ordering", orderingCases()},
	}
}
