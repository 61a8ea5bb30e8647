import FHIR
import HealthData

/// Creates samples from the elements that the scanner reports, and counts all elements.
///
/// For elements of types that are not converted, only `type` is read and counted. Other elements are parsed at their
/// beginning, because the attributes are not valid later, and passed on at their end, because metadata is inside. The
/// results are stored in ``batch`` until it is taken.
struct ExportReader: MarkupEvents {
    /// The counts of this reader. Samples are counted by the conversion.
    private(set) var importReport = HealthImportReport()
    /// The samples and records since the batch was last taken.
    private(set) var batch = ExportBatch()
    /// Whether the root element was closed.
    private(set) var isComplete = false
    /// Whether elements are nested deeper than in any export: the rest of such a file cannot be converted.
    private(set) var isTooDeep = false

    var isFinished: Bool { isComplete || isTooDeep }

    private let selection: HealthSelection
    private var stack: [ExportElement] = []
    private var counts = Array(repeating: 0, count: ExportElement.allCases.count)
    private var problems = 0
    private var unknownElements = 0
    private var pendingRepairs: Repairs = []
    private var values = AttributeValues()
    private var types: ExportTypes
    private var sources = ExportSources()
    private var zones = TimeZoneOffsets()
    private var metadata = KnownMetadata()

    private var record: RecordDraft?
    private var correlation: CorrelationDraft?
    private var workout: WorkoutDraft?
    private var special: SpecialDraft?
    private var beats: BeatsDraft?
    /// The entries of the XML for separate files.
    private(set) var files = ExportFileEntries()

    init(_ selection: HealthSelection) {
        self.selection = selection
        types = ExportTypes(selection)
    }

    /// Takes the results.
    mutating func takeBatch() -> ExportBatch {
        var taken = batch
        taken.rows = importReport.rowNames(from: reportedRowCount)
        reportedRowCount += taken.rows.count
        batch = ExportBatch()
        batch.samples.reserveCapacity(taken.samples.count + 64)
        batch.marks.reserveCapacity(taken.marks.count + 64)
        return taken
    }

    private var reportedRowCount = 0

    /// The number of elements that were read.
    var elementCount: Int {
        ExportElement.allCases.reduce(0) { $0 + ($1.category == .element ? counts[$1.index] : 0) }
    }

    // MARK: - Events

    mutating func begin(_ element: ExportElement, _ attributes: MarkupAttributes, isEmpty: Bool) {
        guard !isTooDeep else { return }
        counts[element.index] += 1
        if attributes.haveMarks { pendingRepairs.insert(.illegalCharacters) }
        if element == .record, isEmpty {
            // Nearly all elements of an export: there is no content that could change the record.
            endRecord()
            load(attributes)
            if let draft = makeRecord() { emit(draft) }
        } else {
            begin(element, in: stack.last, attributes)
            stack.append(element)
            if stack.count > 64 { isTooDeep = true }
            if isEmpty { end(element) }
        }
        pendingRepairs = []
    }

    // An element that begins inside an open one that cannot contain it shows that a closing tag was lost: the open one
    // is passed on first.
    private mutating func begin(_ element: ExportElement, in parent: ExportElement?, _ attributes: MarkupAttributes) {
        switch element {
        case .metadataEntry: readMetadata(attributes, parent)
        case .record:
            endRecord()
            load(attributes)
            record = makeRecord()
            if selection.selects(.heartbeatSeries), let slot = record, slot.isVariability {
                beats = BeatsDraft(attributes.texts())
            }
        case .workoutStatistics, .workoutEvent, .workoutActivity, .fileReference:
            readWorkoutPart(element, attributes: attributes, in: parent)
        case .location where parent == .workoutRoute && selection.selects(.workoutRoute):
            workout?.addLocation(attributes.texts())
        case .correlation:
            endAll()
            load(attributes)
            beginCorrelation()
        case .workout:
            endAll()
            load(attributes)
            beginWorkout()
        case .activitySummary, .audiogram, .visionPrescription:
            endAll()
            special = SpecialDraft(
                element, row: importReport.row(for: element.text), attributes.texts(), repairs: pendingRepairs)
        case .sensitivityPoint, .rightEye, .leftEye: special?.add(element, attributes)
        case .heartRateList where parent == .record: beats?.isOpen = true
        case .beats: beats?.add(attributes)
        case .clinicalRecord:
            // Its resource is in a separate file, and is counted there.
            let isIncluded = selection.selects(.clinicalRecord)
            if isIncluded { files.add(clinicalRecord: attributes.texts()) }
            importReport.skip(importReport.row(for: element.text), isIncluded ? .inFile : .notRead)
        case .other where parent == .healthData: unknownElements += 1
        default: break
        }
    }

    private mutating func load(_ attributes: MarkupAttributes) {
        guard values.load(attributes) else { return }
        problems += 1
        pendingRepairs.insert(.duplicateAttribute)
    }

    /// A closing tag without an open element is ignored; a closing tag of an outer element ends the inner ones too.
    mutating func end(_ element: ExportElement) {
        guard let depth = stack.lastIndex(of: element) else {
            problems += 1
            return
        }
        if depth != stack.count - 1 { problems += 1 }
        while stack.count > depth, let open = stack.popLast() {
            switch open {
            case .record: endRecord()
            case .correlation: endCorrelation()
            case .workout: endWorkout()
            case .activitySummary, .audiogram, .visionPrescription: endSpecial()
            case .healthData where stack.isEmpty: isComplete = true
            default: break
            }
        }
    }

    private mutating func endAll() {
        endRecord()
        endCorrelation()
        endWorkout()
        endSpecial()
    }

    mutating func problem() {
        problems += 1
        pendingRepairs.insert(.markup)
    }

    /// Counts the elements that the end of the source cut off.
    ///
    /// - Parameter unfinished: the element whose tag itself was cut off.
    mutating func finish(unfinished: ExportElement?) {
        for draft in [record?.row, correlation?.row, workout?.row, special?.row] {
            if let row = draft { importReport.skip(row, .cutOff) }
        }
        for member in correlation?.members ?? [] { importReport.skip(member.row, .cutOff) }
        if let unfinished, unfinished.category == .element, !isComplete {
            counts[unfinished.index] += 1
            importReport.skip(importReport.row(for: unfinished.text), .cutOff)
        }
        (record, correlation, workout, special) = (nil, nil, nil, nil)
        for element in ExportElement.allCases where counts[element.index] > 0 {
            let count = counts[element.index]
            switch element.category {
            case .element: importReport.elements[element.text] = count
            case .part: importReport.parts[element.text] = count
            case .notRead: importReport.notRead[element.text] = count
            case .root: break
            }
        }
        if unknownElements > 0 {
            // Children of the root that Apple does not document are counted as elements: a newer system can write them.
            importReport.elements["other"] = unknownElements
            let parts = (importReport.parts["other"] ?? 0) - unknownElements
            importReport.parts["other"] = parts > 0 ? parts : nil
            let row = importReport.row(for: "other")
            for _ in 0..<unknownElements { importReport.skip(row, .unknownElement) }
        }
        if problems > 0 { importReport.filtered["markup-problems"] = problems }
    }

    /// Adds counts of data that was filtered out of the source.
    mutating func filter(_ counts: [(kind: String, count: Int)]) {
        for (kind, count) in counts where count > 0 { importReport.filtered[kind] = count }
    }

    /// Records the reason why the source was not read to its end.
    mutating func cut(_ problem: (code: String, message: String)) {
        importReport.outcome = .truncated
        importReport.problem = problem
    }

    // MARK: - Records

    /// Reads the record's own values. If they are invalid, the record is counted immediately, and there is no draft at
    /// the end of the element.
    private mutating func makeRecord() -> RecordDraft? {
        let slot = types.slot(of: values[.type], in: &importReport)
        var role = RecordDraft.Role.standalone
        do throws(SkipReason) {
            switch slot.rule {
            case .skip(let reason): throw reason
            case .quantity(let type, let measure, let group):
                if let group { role = correlation?.type == group ? .member : .loose }
                let quantity = try values.quantity(as: measure, slot)
                return RecordDraft(
                    row: slot.row, role: role,
                    sample: try sample(type, value: .quantity(quantity), repairs: quantity.repairs))
            case .event(let type):
                return RecordDraft(row: slot.row, role: role, sample: try sample(type, value: .event))
            case .option(let type):
                return RecordDraft(
                    row: slot.row, role: role, sample: try sample(type, value: try values.option(of: type)))
            case .member(let type, let measure, let index):
                role = correlation?.type == type ? .member : .loose
                let quantity = try values.quantity(as: measure, slot)
                let value = HealthValue.pressure(quantity, at: index)
                return RecordDraft(
                    row: slot.row, role: role, sample: try sample(type, value: value, repairs: quantity.repairs))
            }
        } catch {
            importReport.skip(slot.row, error)
            if role == .member { correlation?.repairs.insert(.partDropped) }
            return nil
        }
    }

    private mutating func endRecord() {
        guard var draft = record.take() else { return }
        draft.details.complete(&draft.sample, &zones)
        emit(draft)
        if let beats, beats.isOpen, let (series, repairs) = beats.series(draft.details, &zones) {
            batch.specials.append(ExportBatch.Special(record: series, row: nil, repairs: repairs))
        }
        beats = nil
    }

    private mutating func endSpecial() {
        guard let draft = special else { return }
        special = nil
        do throws(SkipReason) {
            let (record, repairs) = try draft.finished(&zones)
            batch.specials.append(ExportBatch.Special(record: record, row: draft.row, repairs: repairs))
        } catch {
            importReport.skip(draft.row, error)
        }
    }

    private mutating func emit(_ draft: RecordDraft) {
        let sample = HealthSample(draft.sample)
        switch draft.role {
        case .standalone: emit(sample, row: draft.row, role: .standalone)
        case .loose: emit(sample, row: draft.row, role: .loose)
        case .member:
            if let open = correlation, open.members.count < HealthSample.Content.memberLimit {
                correlation?.members.append((sample, draft.row))
            } else {
                emit(sample, row: draft.row, role: .loose)
            }
        }
    }

    /// Reads the values that all samples have.
    ///
    /// - Parameter valueRepairs: the repairs that were made to the value.
    private mutating func sample(
        _ type: HealthType, value: HealthValue, repairs valueRepairs: Repairs = []
    ) throws(SkipReason) -> HealthSample.Content {
        var repairs = pendingRepairs.union(valueRepairs)
        let times = try values.times(&repairs)
        return HealthSample.Content(
            type: type, value: value, start: times.start, end: times.end, created: times.created,
            source: sources.source(values), repairs: repairs)
    }

    // MARK: - Correlations

    private mutating func beginCorrelation() {
        let name = values.text(.type) ?? ""
        let row = importReport.row(for: name)
        guard let type = selection.table.type(name), type.kind == .correlation else {
            // Its records are read as independent ones: they either repeat independent records or occur only here.
            importReport.skip(row, .unsupportedType)
            return
        }
        let sample = Result { () throws(SkipReason) in
            try self.sample(type, value: .bloodPressure(systolic: nil, diastolic: nil))
        }
        correlation = CorrelationDraft(type: type, row: row, sample: sample)
    }

    private mutating func endCorrelation() {
        guard let draft = correlation else { return }
        correlation = nil
        switch draft.finished(&zones) {
        case .failure(let reason):
            importReport.skip(draft.row, reason)
            for member in draft.members { emit(member.sample, row: member.row, role: .loose) }
        case .success(let sample):
            for member in draft.members {
                emit(member.sample, row: member.row, role: .claimed)
                importReport.skip(member.row, .memberOfCorrelation)
            }
            emit(sample, row: draft.row, role: .correlation)
        }
    }

    // MARK: - Workouts

    private mutating func beginWorkout() {
        let row = importReport.row(for: HealthType.workout.identifier)
        workout = WorkoutDraft(row: row, values, source: sources.source(values), repairs: pendingRepairs)
    }

    private mutating func readWorkoutPart(
        _ element: ExportElement, attributes: MarkupAttributes, in parent: ExportElement?
    ) {
        let isInActivity = parent == .workoutActivity
        guard workout != nil,
            element == .fileReference ? parent == .workoutRoute : isInActivity || parent == .workout
        else { return }
        load(attributes)
        switch element {
        case .workoutStatistics: workout?.addStatistics(values, ofActivity: isInActivity)
        case .workoutEvent: workout?.beginEvent(values)
        case .workoutActivity: workout?.beginActivity(values)
        default:
            if selection.selects(.workoutRoute) { workout?.addRoute(values.text(.path) ?? "") }
        }
        workout?.repairs.formUnion(pendingRepairs)
    }

    private mutating func endWorkout() {
        guard var draft = workout else { return }
        workout = nil
        let finished = draft.finished(&zones)
        if draft.surplus > 0 { importReport.filtered["workout-parts", default: 0] += draft.surplus }
        if draft.statisticsLeftOut > 0 {
            importReport.filtered["workout-statistics", default: 0] += draft.statisticsLeftOut
        }
        switch finished {
        case .failure(let reason): importReport.skip(draft.row, reason)
        case .success(let sample):
            files.add(routes: draft.routes, of: sample)
            emit(sample, row: draft.row, role: .standalone)
            if let route = draft.route(of: sample, selection) {
                batch.specials.append(ExportBatch.Special(record: route, row: nil, repairs: []))
            }
        }
    }

    // MARK: - Metadata

    /// Reads metadata of the directly enclosing element. Metadata of routes is ignored.
    private mutating func readMetadata(_ attributes: MarkupAttributes, _ parent: ExportElement?) {
        guard parent == .record ? record != nil : correlation != nil || workout != nil || special != nil else { return }
        _ = values.load(attributes)
        guard let key = values[.key], let value = values[.value] else { return }
        let meaning = metadata.meaning(of: key, value)
        if case .dropped(let omission) = meaning { return importReport.drop(omission) }
        let isNew =
            switch parent {
            case .record: record?.details.add(meaning)
            case .correlation: correlation?.details.add(meaning)
            case .workout: workout?.details.add(meaning)
            case .workoutEvent, .workoutActivity: workout?.addToPart(meaning, isActivity: parent == .workoutActivity)
            case .audiogram, .visionPrescription: special?.details.add(meaning)
            default: true
            }
        if isNew == false { importReport.drop(.repeated) }
    }

    private mutating func emit(_ sample: HealthSample, row: Int, role: ExportBatch.Role) {
        batch.samples.append(sample)
        batch.marks.append(ExportBatch.Mark(row: row, role: role))
    }
}
