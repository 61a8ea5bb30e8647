import FHIR
import HealthData

/// Reads the files beside the XML that become resources: electrocardiograms, routes, clinical records.
struct ExportRecordFiles {
    private static let chunk = 1 << 16

    /// The entries of the XML for the files, as far as it is read.
    var entries = ExportFileEntries()

    /// Reads one file and counts it.
    ///
    /// - Parameter name: the file's own, to find its entry in the XML. It goes nowhere.
    /// - Returns: the record; nil where nothing comes of the file: it is not asked for, or its problem is in the import
    ///   report.
    func read(
        _ kind: ExportFile, name: String, _ source: any ByteSource, _ selection: HealthSelection,
        _ importReport: inout HealthImportReport
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
                guard var route = WorkoutRoute(track: file.track, detail: .places) else {
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

    /// The record with its resource in R4 too, where it is of an older release and the selection can convert it.
    private static func inR4(_ record: ClinicalRecord, _ selection: HealthSelection) -> ClinicalRecord {
        guard record.release == .dstu2, let convert = selection.convertDSTU2 else { return record }
        return convert(record.fhir).flatMap(record.converted(toR4:)) ?? record
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

/// The entries of the XML for the files beside it, by the files' names without folders: folders have other names in
/// other languages.
struct ExportFileEntries: Sendable {
    /// The workout that a route belongs to.
    struct Route: Sendable {
        /// Of the person's clock at the start of the workout: files of routes have UTC alone.
        let offsetMinutes: Int16
        let workout: SampleFingerprint
    }

    private var routes: [String: Route] = [:]
    private var clinicalRecords: [String: ClinicalRecordEntry] = [:]
    /// As many of each are kept; more are a made-up file.
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
    /// Refers to the observation of the workout, where that is made too.
    mutating func refer(to fingerprint: SampleFingerprint, _ selection: HealthSelection) {
        guard selection.selects(HealthType.workout) else { return }
        workout = ["reference": .string("Observation/" + fingerprint.resourceID(subject: selection.subject))]
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
