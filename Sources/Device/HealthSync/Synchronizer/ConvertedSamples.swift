import Foundation

/// The samples of a batch with their content, in the order in which they were read.
///
/// They are nearly always requested in that order, so a single pass finds them.
struct ConvertedSamples: Sendable {
    private var samples: [OutgoingSample] = []

    mutating func reserveCapacity(_ count: Int) { samples.reserveCapacity(count) }

    mutating func append(_ sample: OutgoingSample) { samples.append(sample) }

    /// Returns the samples with these identifiers; absent ones are left out. Of duplicates, it returns the first.
    func samples(of uuids: [UUID]) -> [OutgoingSample] {
        var found: [OutgoingSample] = []
        found.reserveCapacity(uuids.count)
        var index = 0
        for (number, uuid) in uuids.enumerated() {
            while index < samples.count, samples[index].uuid != uuid { index += 1 }
            guard index < samples.count else { return found + byName(uuids[number...]) }
            found.append(samples[index])
            index += 1
        }
        return found
    }

    private func byName(_ uuids: ArraySlice<UUID>) -> [OutgoingSample] {
        let named = Dictionary(samples.map { ($0.uuid, $0) }, uniquingKeysWith: { first, _ in first })
        return uuids.compactMap { named[$0] }
    }
}
