import HealthData

extension HealthExport {
    /// Opens the export and reads it as far as its first records, so that a caller may know that there is one before it
    /// writes anything.
    ///
    /// - Throws: ``ExportError`` where there is no export to read.
    public func check() throws {
        let reading = try ExportReading(path: path, HealthSelection())
        // Other files of an archive may stand before the export.
        while let batch = try reading.next() {
            if batch.progress.elements > 0 { return }
        }
    }
}
