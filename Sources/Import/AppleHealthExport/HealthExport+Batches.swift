import HealthData

extension HealthExport {
    /// As ``convert(_:isKnown:progress:isolation:emit:)``, for what takes the observations more slowly than they are made:
    /// after each batch it is waited for, so that they do not pile up.
    ///
    /// - Parameter afterBatch: is told how far the reading is, and takes what was emitted since the last time. What it
    ///   throws ends the conversion and is thrown on.
    public func convert(
        _ selection: HealthSelection, isolation: isolated (any Actor)? = #isolation,
        emit: @escaping (HealthObservation) throws -> Void, afterBatch: (HealthProgress) async throws -> Void
    ) async throws -> HealthAccount {
        let conversion = HealthConversion(selection, isKnown: { _ in false }, emit: emit)
        let ahead = try ExportReadingAhead(path: path, selection)
        var batch = try await ahead.next()
        while let current = batch {
            async let next = ahead.next()
            try conversion.take(current)
            try await afterBatch(current.progress)
            batch = try await next
        }
        return try conversion.finish(with: await ahead.account)
    }
}
