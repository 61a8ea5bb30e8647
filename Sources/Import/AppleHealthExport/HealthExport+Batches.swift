import HealthData

extension HealthExport {
    /// Converts the export like ``convert(_:into:progress:isolation:)``, for a sink that is slower than the conversion:
    /// after each batch the conversion waits for it, so that observations do not accumulate.
    ///
    /// - Parameter afterBatch: receives the progress, and handles the observations that the sink received since the
    ///   last call. If it throws, the conversion ends and the error is rethrown.
    public func convert(
        _ selection: HealthSelection, into sink: HealthSink, isolation: isolated (any Actor)? = #isolation,
        afterBatch: (HealthProgress) async throws -> Void
    ) async throws -> HealthImportReport {
        let conversion = HealthConversion(selection, sink)
        let reader = try BackgroundBatchReader(path: path, selection)
        var batch = try await reader.next()
        while let current = batch {
            async let next = reader.next()
            try conversion.take(current)
            try await afterBatch(current.progress)
            batch = try await next
        }
        return try conversion.finish(with: await reader.importReport)
    }
}
