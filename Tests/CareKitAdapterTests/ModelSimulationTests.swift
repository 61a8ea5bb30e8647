import CareTestSupport
import Foundation
import Testing

/// Both models of CareKit's synchronisation, with the stand-in, the adapter and a reference model of the server.
///
/// `TRIBUTARY_CARE_SIMULATIONS=500` is the long form; `TRIBUTARY_CARE_SEED=17` runs one seed alone, and
/// `TRIBUTARY_CARE_TRACE=1` prints its steps.
@Suite("Simulations with a model of the server") struct ModelSimulationTests {
    static let settings = [SimulatedUse.updates, .toggles].flatMap { use in
        [(2, 0), (3, 1), (5, 2)].flatMap { phones, ours in
            [0, 0.3].map {
                CareSimulation.Setting(phones: phones, ours: ours, lost: $0, restores: false, use: use)
            }
        }
    }

    @Test("with the rules of the server, all phones converge and none is stuck", arguments: settings)
    func shaped(_ setting: CareSimulation.Setting) async throws {
        let faults = try await CareSimulation.runWithModel(setting, count: 2)
        #expect(faults.isEmpty)
    }

    @Test("with a server that returns revisions as they came, phones are stuck: the stand-in has CareKit's fault")
    func verbatim() async throws {
        let setting = CareSimulation.Setting(phones: 3, ours: 0, lost: 0, restores: false)
        let faults = try await CareSimulation.runWithModel(setting, count: 5, resolves: false)
        #expect(faults.count >= 4)
    }
}
