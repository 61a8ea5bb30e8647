import FHIR
import HealthData

/// Makes samples of the elements that the parser reports, and counts everything it meets.
///
/// Elements of types that are not converted cost a look at their `type` and a count. The rest is taken apart where it
/// begins, as the attributes live no longer, and is handed on where it ends, as metadata stand inside.
final class ExportReader: XMLEvents {
    let conversion: HealthConversion
    /// What `emit` threw; the reader is silent from then on.
    private(set) var failure: (any Error)?
    /// Whether the root element was closed.
    private(set) var isComplete = false
    /// Whether attributes may hold replaced characters.
    var checksMarks = false
    /// How many elements the source has, once that is known: where the last tag is cut, the parser reports it all the
    /// same.
    var elementLimit: Int?
    /// Whether elements are nested deeper than any export nests them: nothing more can be made of such a file.
    private(set) var isTooDeep = false

    private var stack: [ExportElement] = []
    private var counts = Array(repeating: 0, count: ExportElement.allCases.count)
    private var begun = 0
    private var problems = 0
    private var unknownElements = 0
    private var pendingRepairs: Repairs = []
    private var elements: [(address: UnsafePointer<UInt8>, element: ExportElement)] = []
    private var values: AttributeValues?
    private var types = ExportTypes()
    private var zones = TimeZoneOffsets()

    private var record: RecordDraft?
    private var correlation: CorrelationDraft?
    private var workout: WorkoutDraft?

    init(_ conversion: HealthConversion) { self.conversion = conversion }

    /// To be called before the first byte is fed.
    func prepare(_ parser: XMLPushParser) {
        elements = ExportElement.allCases.filter { $0 != .other }
            .compactMap { element in parser.interned(element.name).map { ($0, element) } }
        values = AttributeValues(parser)
    }

    // MARK: - Events

    func begin(_ name: UnsafePointer<UInt8>, _ attributes: XMLAttributes) {
        let element = elements.first { $0.address == name }?.element ?? .other
        let parent = stack.last
        stack.append(element)
        begun += 1
        if stack.count > 64 { isTooDeep = true }
        guard failure == nil, begun <= elementLimit ?? .max, !isTooDeep, let values else { return }
        counts[element.rawValue] += 1
        if checksMarks, AttributeValues.hasMarks(attributes) { pendingRepairs.insert(.illegalCharacters) }
        do {
            try begin(element, in: parent, attributes, values)
        } catch {
            failure = error
        }
        pendingRepairs = []
    }

    // An element that begins while one is open that cannot hold it tells that a closing tag was lost: the open one is
    // handed on first.
    private func begin(
        _ element: ExportElement, in parent: ExportElement?, _ attributes: XMLAttributes, _ values: AttributeValues
    ) throws {
        switch element {
        case .metadataEntry: readMetadata(attributes, values, parent)
        case .record:
            try endRecord()
            beginRecord(attributes, values)
        case .workoutStatistics where parent == .workout:
            values.load(attributes)
            workout?.addStatistics(values)
            workout?.repairs.formUnion(pendingRepairs)
        case .correlation:
            try endAll()
            beginCorrelation(attributes, values)
        case .workout:
            try endAll()
            beginWorkout(attributes, values)
        case .activitySummary, .audiogram, .visionPrescription:
            conversion.account.skip(conversion.account.row(for: element.name), .unsupportedType)
        case .clinicalRecord:
            conversion.account.skip(conversion.account.row(for: element.name), .notRead)
        case .other where parent == .healthData: unknownElements += 1
        default: break
        }
    }

    func end() {
        guard let element = stack.popLast(), failure == nil else { return }
        do {
            switch element {
            case .record: try endRecord()
            case .correlation: try endCorrelation()
            case .workout: try endWorkout()
            case .healthData where stack.isEmpty && elementLimit == nil: isComplete = true
            default: break
            }
        } catch {
            failure = error
        }
    }

    private func endAll() throws {
        try endRecord()
        try endCorrelation()
        try endWorkout()
    }

    func problem(isDuplicateAttribute: Bool) {
        problems += 1
        pendingRepairs.insert(isDuplicateAttribute ? .duplicateAttribute : .markup)
    }

    /// Counts what the source's end cut off, and converts what waited for the end.
    ///
    /// - Parameter unfinished: the element whose tag itself was cut.
    func finish(unfinished: String?) throws {
        if let failure { throw failure }
        for draft in [record?.row, correlation?.row, workout?.row] {
            if let row = draft { conversion.account.skip(row, .cutOff) }
        }
        for member in correlation?.members ?? [] { conversion.account.skip(member.row, .cutOff) }
        let cut = ExportElement.allCases.first { $0.standing == .element && $0.name == unfinished }
        if let cut, !isComplete {
            counts[cut.rawValue] += 1
            conversion.account.skip(conversion.account.row(for: cut.name), .cutOff)
        }
        (record, correlation, workout) = (nil, nil, nil)
        try conversion.finish()
        for element in ExportElement.allCases where counts[element.rawValue] > 0 {
            let count = counts[element.rawValue]
            switch element.standing {
            case .element: conversion.account.elements[element.name] = count
            case .part: conversion.account.parts[element.name] = count
            case .notRead: conversion.account.notRead[element.name] = count
            case .root: break
            }
        }
        if unknownElements > 0 {
            // Children of the root that Apple does not describe are elements too: a newer system may write them.
            conversion.account.elements["other"] = unknownElements
            let parts = (conversion.account.parts["other"] ?? 0) - unknownElements
            conversion.account.parts["other"] = parts > 0 ? parts : nil
            let row = conversion.account.row(for: "other")
            for _ in 0..<unknownElements { conversion.account.skip(row, .unknownElement) }
        }
        if problems > 0 { conversion.account.filtered["markup-problems"] = problems }
    }

    // MARK: - Records

    private func beginRecord(_ attributes: XMLAttributes, _ values: AttributeValues) {
        let slot = types.slot(of: values.only(.type, of: attributes), in: conversion)
        switch slot.reading {
        case .skip(let reason):
            // Nothing but the type is looked at. The end of the element finds no draft.
            conversion.account.skip(slot.row, reason)
        case .quantity(let type, let measure):
            values.load(attributes)
            let sample = sample(type, values) { () throws(SkipReason) in .quantity(try values.quantity(as: measure)) }
            record = RecordDraft(row: slot.row, role: .standalone, sample: sample)
        case .option(let type):
            values.load(attributes)
            let sample = sample(type, values) { () throws(SkipReason) in
                guard let text = values.text(.value), !text.isEmpty else { throw .valueMissing }
                guard let option = type.option(named: text) else { throw .unknownValue }
                return .option(option)
            }
            record = RecordDraft(row: slot.row, role: .standalone, sample: sample)
        case .member(let type, let measure, let isSystolic):
            values.load(attributes)
            let sample = sample(type, values) { () throws(SkipReason) in
                let quantity = try values.quantity(as: measure)
                return .bloodPressure(systolic: isSystolic ? quantity : nil, diastolic: isSystolic ? nil : quantity)
            }
            let isInside = correlation?.type == type
            record = RecordDraft(row: slot.row, role: isInside ? .member : .loose, sample: sample)
        }
    }

    private func endRecord() throws {
        guard let draft = record else { return }
        record = nil
        let sample: HealthSample
        switch draft.finished(&zones) {
        case .failure(let reason):
            conversion.account.skip(draft.row, reason)
            if draft.role == .member { correlation?.repairs.insert(.partDropped) }
            return
        case .success(let finished): sample = finished
        }
        switch draft.role {
        case .standalone: try conversion.add(sample, row: draft.row)
        case .loose: try conversion.addMember(sample, row: draft.row)
        case .member:
            if let open = correlation, open.members.count < CorrelationDraft.memberLimit {
                correlation?.members.append((sample, draft.row))
            } else {
                try conversion.addMember(sample, row: draft.row)
            }
        }
    }

    /// Reads what all samples have, and the value.
    private func sample(
        _ type: HealthType, _ values: AttributeValues, _ value: () throws(SkipReason) -> HealthValue
    ) -> Result<HealthSample, SkipReason> {
        do throws(SkipReason) {
            var repairs = pendingRepairs
            let times = try values.times(&repairs)
            let value = try value()
            switch value {
            case .quantity(let quantity): repairs.formUnion(quantity.repairs)
            case .bloodPressure(let systolic, let diastolic):
                repairs.formUnion(systolic?.repairs ?? [])
                repairs.formUnion(diastolic?.repairs ?? [])
            case .option, .workout: break
            }
            return .success(
                HealthSample(
                    type: type, value: value, start: times.start, end: times.end, created: times.created,
                    source: values.source, repairs: repairs))
        } catch {
            return .failure(error)
        }
    }

    // MARK: - Correlations

    private func beginCorrelation(_ attributes: XMLAttributes, _ values: AttributeValues) {
        values.load(attributes)
        let name = values.text(.type) ?? ""
        let row = conversion.account.row(for: name)
        guard let type = HealthType.correlation(name) else {
            // Its records are read as if they stood alone: they repeat what stands alone, or stand nowhere else.
            conversion.account.skip(row, .unsupportedType)
            return
        }
        let sample = sample(type, values) { .bloodPressure(systolic: nil, diastolic: nil) }
        correlation = CorrelationDraft(type: type, row: row, sample: sample)
    }

    private func endCorrelation() throws {
        guard let draft = correlation else { return }
        correlation = nil
        switch draft.finished(&zones) {
        case .failure(let reason):
            conversion.account.skip(draft.row, reason)
            for member in draft.members { try conversion.addMember(member.sample, row: member.row) }
        case .success(let sample):
            for member in draft.members {
                conversion.claim(member.sample)
                conversion.account.skip(member.row, .memberOfCorrelation)
            }
            try conversion.add(sample, row: draft.row)
        }
    }

    // MARK: - Workouts

    private func beginWorkout(_ attributes: XMLAttributes, _ values: AttributeValues) {
        values.load(attributes)
        let row = conversion.account.row(for: HealthType.workout.identifier)
        workout = WorkoutDraft(row: row, values, repairs: pendingRepairs)
    }

    private func endWorkout() throws {
        guard var draft = workout else { return }
        workout = nil
        switch draft.finished(&zones) {
        case .failure(let reason): conversion.account.skip(draft.row, reason)
        case .success(let sample): try conversion.add(sample, row: draft.row)
        }
    }

    // MARK: - Metadata

    /// Metadata of the element that they stand in directly. Those of events, activities and routes are not looked at.
    private func readMetadata(_ attributes: XMLAttributes, _ values: AttributeValues, _ parent: ExportElement?) {
        guard parent == .record ? record != nil : parent == .correlation || parent == .workout,
            let key = values.only(.key, of: attributes), key.count <= 40, key.starts(with: ExportReader.applePrefix),
            let value = values.only(.value, of: attributes), value.count <= 48
        else { return }
        let name = String(decoding: key, as: UTF8.self)
        let text = String(decoding: value, as: UTF8.self)
        switch parent {
        case .record: record?.details.add(name, text)
        case .correlation: correlation?.details.add(name, text)
        case .workout: workout?.details.add(name, text)
        default: break
        }
    }

    private static let applePrefix = Array("HK".utf8)
}
