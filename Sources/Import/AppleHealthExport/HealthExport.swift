import FHIR
import HealthData

/// An Apple Health export: the `export.zip`, the unpacked folder, or the XML file with any name.
///
/// ```swift
/// let importReport = try HealthExport(path: "export.zip").convert(HealthSelection(subject: "p1")) { observation in
///     observation.write(to: &output)
/// }
/// ```
///
/// It reads the XML with the root `HealthData`, and electrocardiograms; routes and clinical records only if the
/// selection includes them (``HealthSelection/Inclusion``). The CDA document is only counted, and the element `Me` of
/// the XML is not read: they contain names and data that no study needs.
public struct HealthExport: Sendable {
    let path: String

    public init(path: String) { self.path = path }

    /// Streams the export on one core. Memory does not grow with the size of the export, except for the fingerprints
    /// (``HealthConversion``).
    ///
    /// - Parameters:
    ///   - isKnown: returns whether a sample was converted earlier; such samples are skipped.
    ///   - emit: receives each observation. If it throws, the conversion ends and the error is rethrown.
    /// - Returns: the import report. A truncated or damaged file has the outcome
    ///   ``HealthImportReport/Outcome/truncated``.
    /// - Throws: ``ExportError`` if there is no readable export; errors of `emit`.
    public func convert(
        _ selection: HealthSelection = HealthSelection(), isKnown: (SampleFingerprint) -> Bool = { _ in false },
        emit: (HealthObservation) throws -> Void
    ) throws -> HealthImportReport {
        try withoutActuallyEscaping(isKnown) { isKnown in
            try withoutActuallyEscaping(emit) { emit in
                try convert(selection, into: HealthSink(isKnown: isKnown, observation: emit))
            }
        }
    }

    /// Converts the export and passes all resources to a sink.
    public func convert(_ selection: HealthSelection, into sink: HealthSink) throws -> HealthImportReport {
        let conversion = HealthConversion(selection, sink)
        let reader = try ExportBatchReader(path: path, selection)
        while let batch = try reader.next() { try conversion.take(batch) }
        return try conversion.finish(with: reader.importReport)
    }

    /// Converts the export on two cores: one reads ahead while the other converts. Order and import report are the same
    /// as on one core.
    ///
    /// - Parameter progress: receives the progress after each batch.
    public func convert(
        _ selection: HealthSelection, into sink: HealthSink, progress: (HealthProgress) -> Void,
        isolation: isolated (any Actor)? = #isolation
    ) async throws -> HealthImportReport {
        let conversion = HealthConversion(selection, sink)
        let reader = try BackgroundBatchReader(path: path, selection)
        var batch = try await reader.next()
        while let current = batch {
            async let next = reader.next()
            try conversion.take(current)
            progress(current.progress)
            batch = try await next
        }
        return try conversion.finish(with: await reader.importReport)
    }
}
