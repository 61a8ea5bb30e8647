import CarePlans
import CareStores
import Foundation

/// A simulation of several phones and a server, by a seed.
public struct CareSimulation: Sendable {
    /// The content of a simulation.
    public struct Setting: Sendable, CustomStringConvertible {
        public var phones: Int
        /// The number of phones with all versions; the others have CareKit's store.
        public var ours: Int
        /// The probability that a push or its answer is lost.
        public var lost: Double
        /// Whether old copies of phones are brought back.
        public var restores: Bool
        /// Whether the server is restored from backups too.
        public var serverReturns: Bool
        public var steps = 60
        /// The changes of users.
        public var use = SimulatedUse.toggles

        public init(
            phones: Int, ours: Int, lost: Double, restores: Bool, serverReturns: Bool = false,
            use: SimulatedUse = .toggles
        ) {
            self.use = use
            self.serverReturns = serverReturns
            (self.phones, self.ours, self.lost, self.restores) = (phones, ours, lost, restores)
        }

        public var description: String {
            "\(phones) phones, \(ours) of them ours, \(lost) lost" + (restores ? ", copies return" : "")
                + (serverReturns ? ", the server too" : "") + (use == .updates ? ", no deletions" : "")
        }
    }

    /// The findings of a simulation.
    public struct Outcome: Sendable {
        /// The faults, each with a sentence; empty if there are none.
        public var faults: [String] = []
        /// The number of versions at the end.
        public var versions = 0
        public init() {}
    }

    /// Creates a phone that keeps all versions.
    public typealias PhoneMaker =
        @Sendable (_ name: String, any CareServer, SimulationRandom) async throws ->
        any SimulatedPhone

    public let seed: UInt64
    public let setting: Setting
    private let random: SimulationRandom
    private let log: any SimulatedLog
    private let makeOurs: PhoneMaker

    public init(
        seed: UInt64, setting: Setting, log: @Sendable (SimulationRandom) async throws -> any SimulatedLog,
        ours: @escaping PhoneMaker = { ModelPhone(name: $0, server: $1, random: $2) }
    ) async throws {
        self.seed = seed
        self.setting = setting
        random = SimulationRandom(seed: seed)
        self.log = try await log(random)
        makeOurs = ours
    }

    /// Collects faults of all tasks of the simulation.
    private final class Findings: @unchecked Sendable {
        private let lock = NSLock()
        private var faults: [String] = []
        func add(_ fault: String) { lock.withLock { faults.append(fault) } }
        var all: [String] { lock.withLock { faults } }
    }

    /// Runs the simulation: random changes and syncs with faults, then syncs without faults, then the checks.
    public func run() async throws -> Outcome {
        let findings = Findings()
        var phones: [(phone: any SimulatedPhone, server: UnreliableServer)] = []
        for number in 0..<setting.phones {
            let name = "P\(number)"
            let server = UnreliableServer(log.server(session: name), random: random)
            let phone =
                number < setting.ours
                ? try await makeOurs(name, server, random) : CareKitPhone(name: name, server: server, random: random)
            phones.append((phone, server))
        }
        try await disturb(phones, findings)
        try await settle(phones, findings)
        return try await check(phones.map(\.phone), findings)
    }

    private func faults(
        of phone: any SimulatedPhone, others: [any SimulatedPhone], findings: Findings
    ) -> UnreliableServer.Faults {
        var faults = UnreliableServer.Faults()
        faults.lost = setting.lost
        faults.afterPull = { [random, setting] in
            if random.chance(0.1) { try? await phone.change(setting.use) }
        }
        faults.beforePush = { [random] in
            if random.chance(0.4), let other = random.element(of: others) { try? await other.synchronize() }
        }
        faults.afterPush = { try await checkTips(findings) }
        return faults
    }

    private func disturb(
        _ phones: [(phone: any SimulatedPhone, server: UnreliableServer)], _ findings: Findings
    ) async throws {
        for step in 0..<setting.steps {
            guard let current = random.element(of: phones) else { return }
            let others = phones.map(\.phone).filter { $0 !== current.phone }
            // Only the phone whose turn it is lets others synchronise, so that no sync is inside of itself.
            for (phone, server) in phones {
                var faults = faults(of: phone, others: others, findings: findings)
                if phone !== current.phone { (faults.beforePush, faults.afterPull) = (nil, nil) }
                server.set(faults)
            }
            if setting.restores, random.chance(0.05) {
                if setting.serverReturns, random.chance(0.5) {
                    trace("\(step): backup of the server")
                    try await log.backUp()
                } else {
                    trace("\(step): copy of \(current.phone.name)")
                    try await current.phone.copy()
                }
            }
            if setting.restores, step > 20, random.chance(0.03) {
                if setting.serverReturns, random.chance(0.4) {
                    trace("\(step): restore of the server")
                    try await log.restore()
                } else {
                    trace("\(step): \(current.phone.name) is an old copy")
                    try await current.phone.restoreCopy()
                }
            }
            if random.chance(0.65) {
                trace("\(step): \(current.phone.name) changes")
                try? await current.phone.change(setting.use)
            } else {
                trace("\(step): \(current.phone.name) synchronises")
                // A sync may fail now; no phone may fail at the end.
                try? await current.phone.synchronize()
            }
        }
    }

    /// `TRIBUTARY_CARE_TRACE=1` prints the steps.
    private func trace(_ line: @autoclosure () -> String) {
        if ProcessInfo.processInfo.environment["TRIBUTARY_CARE_TRACE"] != nil { print(line()) }
    }

    private func settle(
        _ phones: [(phone: any SimulatedPhone, server: UnreliableServer)], _ findings: Findings
    ) async throws {
        var faults = UnreliableServer.Faults()
        faults.afterPush = { try await checkTips(findings) }
        for (phone, server) in phones {
            server.set(faults)
            phone.endFaults()
        }
        let rounds = setting.restores ? 8 : 6
        for round in 1...rounds {
            for (phone, _) in phones {
                do {
                    try await phone.synchronize()
                } catch  where round == rounds {
                    findings.add("\(phone.name) is stuck: \(error)")
                } catch {}
            }
        }
    }

    /// An id has at most one tip, and an event at most one live outcome.
    private func checkTips(_ findings: Findings) async throws {
        let graph = VersionGraph(try await log.versions())
        let tips = Dictionary(grouping: graph.tips) { $0.kind.rawValue + " " + $0.id }.filter { $0.value.count > 1 }
        for id in tips.keys { findings.add("\(id) has several tips after a push") }
        let live = Dictionary(grouping: graph.liveTips.filter { $0.event != nil }, by: \.event)
        for (event, outcomes) in live where outcomes.count > 1 {
            findings.add("\(event.map { "\($0)" } ?? "") has \(outcomes.count) live outcomes after a push")
        }
    }

    private func check(_ phones: [any SimulatedPhone], _ findings: Findings) async throws -> Outcome {
        let versions = try await log.versions()
        let expected = Set(VersionGraph(versions).liveTips.map { ShownVersion($0) })
        for phone in phones {
            for trap in phone.traps { findings.add("\(phone.name) traps: \(trap)") }
            let shown = try await phone.shown()
            for version in shown.subtracting(expected).sorted(by: { "\($0)" < "\($1)" }) {
                findings.add("\(phone.name) shows also \(version)")
            }
            for version in expected.subtracting(shown).sorted(by: { "\($0)" < "\($1)" }) {
                findings.add("\(phone.name) does not show \(version)")
            }
            guard phone.keepsAllVersions else { continue }
            let missing = Set(versions.map(\.uuid)).subtracting(try await phone.versions())
            if !missing.isEmpty { findings.add("\(phone.name) lacks \(missing.count) versions") }
        }
        var outcome = Outcome()
        outcome.faults = findings.all
        outcome.versions = versions.count
        return outcome
    }
}

extension CareSimulation {
    /// Runs simulations and returns the faults, each with its seed.
    ///
    /// `TRIBUTARY_CARE_SIMULATIONS` is the number of each setting; `TRIBUTARY_CARE_SEED` runs one seed alone.
    ///
    /// - Parameters:
    ///   - count: the number of simulations without the variable.
    ///   - share: the share of the number of the variable that this setting has.
    ///   - withLog: calls its parameter with an empty log.
    public static func run(
        _ setting: Setting, count: Int, share: Double = 1,
        in withLog: @Sendable (@Sendable (any SimulatedLog) async throws -> Void) async throws -> Void,
        ours: @escaping PhoneMaker = { ModelPhone(name: $0, server: $1, random: $2) }
    ) async throws -> [String] {
        let environment = ProcessInfo.processInfo.environment
        let long = environment["TRIBUTARY_CARE_SIMULATIONS"].flatMap { Int($0) }.map { Int(Double($0) * share) }
        var seeds = (0..<(long ?? count)).map { UInt64($0) }
        if let seed = environment["TRIBUTARY_CARE_SEED"].flatMap({ UInt64($0) }) { seeds = [seed] }
        let findings = Findings()
        for seed in seeds {
            try await withLog { log in
                let simulation = try await CareSimulation(seed: seed, setting: setting, log: { _ in log }, ours: ours)
                let outcome = try await simulation.run()
                guard let first = outcome.faults.first else { return }
                print("TRIBUTARY_CARE_SEED=\(seed) (\(setting)):")
                for fault in outcome.faults.prefix(5) { print("  \(fault)") }
                findings.add("seed \(seed): \(first)")
            }
        }
        return findings.all
    }

    /// Runs simulations against the reference model of the server.
    public static func runWithModel(
        _ setting: Setting, count: Int, resolves: Bool = true,
        ours: @escaping PhoneMaker = { ModelPhone(name: $0, server: $1, random: $2) }
    ) async throws -> [String] {
        try await run(
            setting, count: count,
            in: { body in
                try await body(ModelLog(random: SimulationRandom(seed: .max), resolves: resolves))
            }, ours: ours)
    }
}
