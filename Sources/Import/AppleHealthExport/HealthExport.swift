import FHIR
import HealthData

/// An Apple Health export: the `export.zip`, the unpacked folder, or the XML file whatever its name.
///
/// ```swift
/// let account = try await HealthExport(path: "export.zip").convert(HealthSelection(subject: "p1")) { made in
///     made.write(to: &output)
/// }
/// ```
///
/// The XML with the root `HealthData` is read, and electrocardiograms; routes and clinical records only where the
/// selection names them (``HealthSelection/Inclusion``). The CDA document is counted and never opened, and of the XML `Me`
/// is not read: they hold names and what no study asked for.
public struct HealthExport: Sendable {
    let path: String

    public init(path: String) { self.path = path }

    /// Streams the export on one core: memory does not grow with its size but for the fingerprints
    /// (``HealthConversion``).
    ///
    /// - Parameters:
    ///   - isKnown: whether a sample was converted at an earlier time; such are skipped.
    ///   - emit: takes each observation in turn. What it throws ends the conversion and is thrown on.
    /// - Returns: the import report. A file that is cut or damaged has the outcome ``HealthImportReport/Outcome/truncated``.
    /// - Throws: ``ExportError`` where there is no export to read; what `emit` throws.
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

    /// The same for all that a sink takes.
    public func convert(_ selection: HealthSelection, into sink: HealthSink) throws -> HealthImportReport {
        let conversion = HealthConversion(selection, sink)
        let reading = try ExportReading(path: path, selection)
        while let batch = try reading.next() { try conversion.take(batch) }
        return try conversion.finish(with: reading.importReport)
    }

    /// The same on two cores: one reads ahead while the other converts. Order and import report are the same.
    ///
    /// - Parameter progress: told after each batch how far the reading is.
    public func convert(
        _ selection: HealthSelection, into sink: HealthSink, progress: (HealthProgress) -> Void,
        isolation: isolated (any Actor)? = #isolation
    ) async throws -> HealthImportReport {
        let conversion = HealthConversion(selection, sink)
        let ahead = try ExportReadingAhead(path: path, selection)
        var batch = try await ahead.next()
        while let current = batch {
            async let next = ahead.next()
            try conversion.take(current)
            progress(current.progress)
            batch = try await next
        }
        return try conversion.finish(with: await ahead.importReport)
    }
}
