import HealthData

/// Reads the files beside the XML that become resources: electrocardiograms, routes, clinical records.
struct ExportRecordFiles {
    private static let chunk = 1 << 16

    /// Reads one file and counts it.
    ///
    /// - Returns: the record; nil where nothing comes of the file: it is not asked for, or its problem is in the account.
    func read(
        _ kind: ExportFile, _ source: any ByteSource, _ selection: HealthSelection, _ account: inout HealthAccount
    ) throws(ExportError) -> ExportBatch.Special? {
        guard selection.selects(kind.special) else {
            account.notRead[kind.rawValue, default: 0] += 1
            return nil
        }
        let result: Result<(record: any SpecialRecord, notes: Set<ExportFileNote>), ExportFileProblem>
        switch kind {
        case .electrocardiogram:
            var reader = ElectrocardiogramReader()
            try feed(source) { piece in
                reader.feed(piece)
                return reader.problem == nil
            }
            result = reader.finish().map { ($0.electrocardiogram, $0.notes) }
        case .route:
            var reader = RouteReader()
            try feed(source) { piece in
                reader.feed(piece)
                return !reader.isDone
            }
            result = reader.finish().flatMap { file in
                guard let route = WorkoutRoute(track: file.track, detail: .places) else {
                    return .failure(.routeWithoutPoints)
                }
                return .success((route, file.notes))
            }
        default:
            var reader = ClinicalRecordReader()
            try feed(source) { piece in
                reader.feed(piece)
                return reader.problem == nil
            }
            result = reader.finish().map { ($0.record, $0.notes) }
        }
        switch result {
        case .success(let read):
            for note in read.notes { account.fileNotes[note.rawValue, default: 0] += 1 }
            return ExportBatch.Special(record: read.record, row: nil, repairs: [])
        case .failure(let problem):
            account.fileProblems[problem.code, default: 0] += 1
            return nil
        }
    }

    /// Gives the file piece by piece until the body has seen enough.
    private func feed(_ source: any ByteSource, _ body: (UnsafeRawBufferPointer) -> Bool) throws(ExportError) {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.chunk, alignment: 16)
        defer { buffer.deallocate() }
        while true {
            let count = try source.read(into: buffer)
            guard count > 0, body(UnsafeRawBufferPointer(rebasing: buffer[..<count])) else { return }
        }
    }
}

extension ExportFile {
    /// The kind of record that the file holds, where it is one of the three.
    fileprivate var special: SpecialKind {
        switch self {
        case .electrocardiogram: .electrocardiogram
        case .route: .workoutRoute
        default: .clinicalRecord
        }
    }
}
