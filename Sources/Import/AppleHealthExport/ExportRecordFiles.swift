import FHIR
import HealthData

/// Reads the separate files of an export that are converted to resources: electrocardiograms, routes, clinical records.
struct ExportRecordFiles {
    private static let chunk = 1 << 16

    /// The entries of the XML for the files, as far as it is read.
    var entries = ExportFileEntries()

    /// Reads one file and counts it.
    ///
    /// - Parameter name: the name of the file, to find its entry in the XML. It is not stored.
    /// - Returns: the record; nil if the file is not selected or has a problem, which is added to the import report.
    func read(
        _ kind: ExportFileKind, name: String, from source: any ByteSource, selection: HealthSelection,
        into importReport: inout HealthImportReport
    ) throws(ExportError) -> ExportBatch.Special? {
        guard selection.selects(kind.special) else {
            importReport.notRead[kind.rawValue, default: 0] += 1
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
                guard var route = WorkoutRoute(track: file.track, detail: .locations) else {
                    return .failure(.routeWithoutPoints)
                }
                if let entry = entries.route(name) {
                    route.offsetMinutes = entry.offsetMinutes
                    route.refer(to: entry.workout, selection)
                }
                return .success((route, file.notes))
            }
        default:
            var reader = ClinicalRecordReader(entries.clinicalRecord(name))
            try feed(source) { piece in
                reader.feed(piece)
                return reader.problem == nil
            }
            result = reader.finish().map { (Self.inR4($0.record, selection), $0.notes) }
        }
        switch result {
        case .success(let read):
            for note in read.notes { importReport.fileNotes[note.rawValue, default: 0] += 1 }
            return ExportBatch.Special(record: read.record, row: nil, repairs: [])
        case .failure(let problem):
            importReport.fileProblems[problem.code, default: 0] += 1
            return nil
        }
    }

    /// Returns the record with its resource converted to R4, if it is in an older release and the selection can convert
    /// it.
    private static func inR4(_ record: ClinicalRecord, _ selection: HealthSelection) -> ClinicalRecord {
        guard record.release == .dstu2, let convert = selection.convertDSTU2 else { return record }
        return convert(record.fhir).flatMap(record.converted(toR4:)) ?? record
    }

    /// Passes the file piece by piece until the body returns false.
    private func feed(_ source: any ByteSource, _ body: (UnsafeRawBufferPointer) -> Bool) throws(ExportError) {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.chunk, alignment: 16)
        defer { buffer.deallocate() }
        while true {
            let count = try source.read(into: buffer)
            guard count > 0, body(UnsafeRawBufferPointer(rebasing: buffer[..<count])) else { return }
        }
    }
}

/// The entries of the XML for separate files, by file names without folders, because the names of folders are
/// translated.
struct ExportFileEntries: Sendable {
    /// The workout of a route.
    struct Route: Sendable {
        /// UTC offset of the person's clock at the start of the workout: route files contain only UTC.
        let offsetMinutes: Int16
        let workout: SampleFingerprint
    }

    private var routes: [String: Route] = [:]
    private var clinicalRecords: [String: ClinicalRecordEntry] = [:]
    /// Maximum number of entries of each kind; a file with more is an invented one.
    private static let limit = 20_000

    mutating func add(routes paths: [String], of workout: HealthSample) {
        guard !paths.isEmpty, routes.count + paths.count <= Self.limit else { return }
        let route = Route(offsetMinutes: workout.start.offsetMinutes, workout: workout.fingerprint)
        for path in paths { routes[Self.name(path)] = route }
    }

    mutating func add(clinicalRecord attributes: [String: String]) {
        guard clinicalRecords.count < Self.limit, let entry = try? ClinicalRecordEntry({ attributes[$0] }) else {
            return
        }
        clinicalRecords[Self.name(entry.path)] = entry
    }

    func route(_ name: String) -> Route? { routes[name] }
    func clinicalRecord(_ name: String) -> ClinicalRecordEntry? { clinicalRecords[name] }

    private static func name(_ path: String) -> String { String(path.split(separator: "/").last ?? "") }
}

extension WorkoutRoute {
    /// Adds a reference to the observation of the workout, if that is converted too.
    mutating func refer(to fingerprint: SampleFingerprint, _ selection: HealthSelection) {
        guard selection.selects(HealthType.workout) else { return }
        workout = ["reference": .string("Observation/" + fingerprint.resourceID(subject: selection.subject))]
    }
}

extension ExportFileKind {
    /// The kind of record in the file, for the three kinds of files with records.
    fileprivate var special: SpecialKind {
        switch self {
        case .electrocardiogram: .electrocardiogram
        case .route: .workoutRoute
        default: .clinicalRecord
        }
    }
}
