import HealthData

extension HealthExport {
    /// As ``convert(_:into:progress:isolation:)``, for a sink that works more slowly than observations are made: after each
    /// batch it is waited for, so that they do not pile up.
    ///
    /// - Parameter afterBatch: is told how far the reading is, and handles what the sink took since the last time. What
    ///   it throws ends the conversion and is thrown on.
    public func convert(
        _ selection: HealthSelection, into sink: HealthSink, isolation: isolated (any Actor)? = #isolation,
        afterBatch: (HealthProgress) async throws -> Void
    ) async throws -> HealthImportReport {
        let conversion = HealthConversion(selection, sink)
        let ahead = try ExportReadingAhead(path: path, selection)
        var batch = try await ahead.next()
        while let current = batch {
            async let next = ahead.next()
            try conversion.take(current)
            try await afterBatch(current.progress)
            batch = try await next
        }
        return try conversion.finish(with: await ahead.importReport)
    }
}
