import HealthData

extension HealthExport {
    /// Opens the export and reads it up to its first records, so that a caller can check that there is an export before
    /// it writes anything.
    ///
    /// - Throws: ``ExportError`` if there is no readable export.
    public func check() throws {
        let reader = try ExportBatchReader(path: path, HealthSelection())
        // An archive can contain other files before the export.
        while let batch = try reader.next() {
            if batch.progress.elements > 0 { return }
        }
    }
}
