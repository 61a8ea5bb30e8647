import FHIR
import Foundation

/// What to convert.
public struct HealthSelection: Sendable {
    /// The id of the Patient; nil leaves the subject out.
    public var subject: String?
    /// Only samples that end at this time or later.
    public var since: Date?
    /// Only these types; nil means all.
    public var types: Set<HealthType>?

    public init(subject: String? = nil, since: Date? = nil, types: Set<HealthType>? = nil) {
        self.subject = subject
        self.since = since
        self.types = types
    }

    /// Whether the type is asked for.
    public func selects(_ type: HealthType) -> Bool { types?.contains(type) ?? true }
}

/// A name that means no type of the table.
public struct UnknownHealthType: Error, Sendable, Hashable {
    public let name: String
    public var code: String { "health-type-unknown" }
    public var message: String { "There is no health type named \(name); see the table of types for the names." }
}

extension HealthSelection {
    /// The types that identifiers, short names (`HeartRate`) or titles mean.
    public static func types(named names: some Sequence<String>) throws(UnknownHealthType) -> Set<HealthType> {
        var types: Set<HealthType> = []
        for name in names {
            guard let type = HealthType.named(name) else { throw UnknownHealthType(name: name) }
            types.insert(type)
        }
        return types
    }
}

/// Turns samples into observations one by one: selects, collapses duplicates, joins blood pressures, and keeps account.
///
/// Pure but for the two closures. Memory grows by 16 to 22 bytes a sample (its identity) and by the blood pressure
/// members that wait for their correlation, at most ``waitingLimit`` of them.
public final class HealthConversion {
    /// Whether a sample was converted at an earlier time.
    public typealias IsKnown = (SampleIdentity) -> Bool
    public typealias Emit = (HealthObservation) throws -> Void

    /// As many systolic and diastolic samples wait to be joined; when there are more, those that wait are let go.
    public static let waitingLimit = 200_000

    public var account = HealthAccount()
    public let selection: HealthSelection
    private let since: Int64
    private let isKnown: IsKnown
    private let emit: Emit
    private var seen = IdentitySet()
    /// Members that were seen inside a correlation.
    private var claimed = IdentitySet()
    private var waiting: [IdentityKey: WaitingMember] = [:]
    private var arrivals = 0

    /// A systolic or diastolic sample that may yet turn out to belong to a correlation.
    private struct WaitingMember {
        let sample: HealthSample
        let row: Int
        let arrival: Int
    }

    public init(_ selection: HealthSelection, isKnown: @escaping IsKnown, emit: @escaping Emit) {
        self.selection = selection
        self.isKnown = isKnown
        self.emit = emit
        since = selection.since.map { Int64($0.timeIntervalSince1970.rounded(.up)) } ?? .min
    }

    /// Converts a sample, or counts why not, in the row of the account.
    ///
    /// - Throws: what `emit` throws.
    public func add(_ sample: HealthSample, row: Int) throws {
        if let reason = reasonToSkip(sample) {
            account.skip(row, reason)
            return
        }
        let identity = sample.identity
        guard seen.insert(identity.key) else {
            account.skip(row, .duplicate)
            return
        }
        guard !isKnown(identity) else {
            account.skip(row, .alreadyKnown)
            return
        }
        try emit(HealthObservation(sample, identity: identity, subject: selection.subject))
        account.convert(row, repairs: sample.repairs)
        if sample.isImplausible { account.implausible[sample.type.identifier, default: 0] += 1 }
    }

    /// Takes a systolic or diastolic sample that stands alone. It waits for the correlation that it may belong to.
    public func addMember(_ sample: HealthSample, row: Int) throws {
        if let reason = reasonToSkip(sample) {
            account.skip(row, reason)
            return
        }
        let key = sample.identity.key
        if claimed.contains(key) {
            account.skip(row, .memberOfCorrelation)
        } else if waiting[key] != nil {
            account.skip(row, .duplicate)
        } else {
            if waiting.count >= Self.waitingLimit { try joinWaiting() }
            waiting[key] = WaitingMember(sample: sample, row: row, arrival: arrivals)
            arrivals += 1
        }
    }

    /// Says that a member is in a correlation: the same sample standing alone is no observation of its own.
    public func claim(_ member: HealthSample) {
        let key = member.identity.key
        claimed.insert(key)
        if let waited = waiting.removeValue(forKey: key) { account.skip(waited.row, .memberOfCorrelation) }
    }

    /// Converts what waits. To be called once, at the end.
    public func finish() throws { try joinWaiting() }

    private func reasonToSkip(_ sample: HealthSample) -> SkipReason? {
        guard selection.selects(sample.type) else { return .notSelected }
        if let problem = sample.timeProblem { return problem }
        return sample.end.seconds < since ? .beforeSince : nil
    }

    // Joining the members that no correlation claimed:
    // 1. those of the same time and source stand together, in the order they came;
    // 2. the first systolic goes with the first diastolic, and so on: one observation each;
    // 3. what is left alone is an observation with one component.
    private func joinWaiting() throws {
        let members = waiting.values.sorted { $0.arrival < $1.arrival }
        waiting = [:]
        var diastolics: [JoinKey: [WaitingMember]] = [:]
        for member in members.reversed() where member.sample.isDiastolic {
            diastolics[JoinKey(member.sample), default: []].append(member)
        }
        var joined: Set<Int> = []
        for member in members {
            guard !joined.contains(member.arrival) else { continue }
            guard !member.sample.isDiastolic, let partner = diastolics[JoinKey(member.sample)]?.popLast() else {
                // A diastolic whose systolic comes later in the list waits for it.
                if member.sample.isDiastolic { continue }
                try add(member.sample, row: member.row)
                continue
            }
            joined.insert(partner.arrival)
            var pair = member.sample
            if case .bloodPressure(let systolic, _) = pair.value,
                case .bloodPressure(_, let diastolic) = partner.sample.value
            {
                pair.value = .bloodPressure(systolic: systolic, diastolic: diastolic)
            }
            pair.repairs.formUnion(partner.sample.repairs)
            try add(pair, row: member.row)
            account.skip(partner.row, .combinedWithSystolic)
        }
        let alone = diastolics.values.joined().sorted { $0.arrival < $1.arrival }
        for member in alone { try add(member.sample, row: member.row) }
    }

    private struct JoinKey: Hashable {
        let start: Int64
        let source: HealthSource

        init(_ sample: HealthSample) {
            start = sample.start.seconds
            source = sample.source
        }
    }
}

extension HealthSample {
    fileprivate var isDiastolic: Bool {
        if case .bloodPressure(nil, _) = value { true } else { false }
    }

    /// Whether a value lies outside of what is likely.
    fileprivate var isImplausible: Bool {
        func outside(_ quantity: HealthQuantity?, _ measure: HealthMeasure?) -> Bool {
            guard let quantity, let range = measure?.plausible else { return false }
            return !range.contains(quantity.number.double)
        }
        switch value {
        case .quantity(let quantity): return outside(quantity, type.measure)
        case .option, .event: return false
        case .bloodPressure(let systolic, let diastolic):
            return zip(type.components, [systolic, diastolic]).contains { outside($1, $0.measure) }
        case .workout(let workout):
            return workout.figures.contains { figure in
                outside(figure.quantity, type.components.first { $0.identifier == figure.identifier }?.measure)
            }
        }
    }
}
