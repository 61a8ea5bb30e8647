import Foundation
import HealthData

/// Reads an export batch by batch: finds the XML among the files and counts the other files by kind.
final class ExportBatchReader {
    /// Number of samples in a batch: few enough to stay in the processor's cache while they are passed to the other
    /// core, and to use the same memory again.
    private static let samples = 512

    /// The counts other than those of the samples; complete after ``next()`` has returned nil.
    private(set) var importReport = HealthImportReport()

    private let selection: HealthSelection
    private let input: any ExportInput
    private var stream: ExportStream?
    private var files = ExportRecordFiles()

    init(path: String, _ selection: HealthSelection) throws(ExportError) {
        self.selection = selection
        input = try ExportForm.open(path: path)
    }

    /// Returns the next batch; nil at the end.
    func next() throws -> ExportBatch? {
        while true {
            if let stream {
                let hasMore = try stream.read(samples: Self.samples)
                var batch = stream.takeBatch()
                if !hasMore {
                    files.entries = stream.files
                    importReport.merge(stream.importReport)
                    self.stream = nil
                }
                batch.progress = input.progress
                batch.progress.elements = stream.elementCount
                return batch
            }
            guard let file = try input.next() else {
                guard input.hasExport else { throw ExportError.notAnExport }
                return nil
            }
            switch file {
            case .export(let source, let isRecognised):
                stream = ExportStream(source, selection, isRecognised: isRecognised)
            case .record(let kind, let name, let source):
                guard
                    let record = try files.read(
                        kind, name: name, from: source, selection: selection, into: &importReport)
                else { continue }
                var batch = ExportBatch()
                batch.specials = [record]
                batch.progress = input.progress
                return batch
            case .notRead(let kind): importReport.notRead[kind, default: 0] += 1
            }
        }
    }
}

/// Reads an export on another core.
actor BackgroundBatchReader {
    private let reader: ExportBatchReader

    init(path: String, _ selection: HealthSelection) throws(ExportError) {
        reader = try ExportBatchReader(path: path, selection)
    }

    func next() throws -> ExportBatch? { try reader.next() }

    var importReport: HealthImportReport { reader.importReport }
}
