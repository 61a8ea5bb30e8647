import FHIR
import FHIRVersions
import Foundation
import InformedConsent
import Receiver

/// The resources that a study publishes for apps: forms, value sets and the consent before it is signed, each in the
/// release of FHIR that the app reads. A value type; a new one is made when the files change.
package struct PublishedLibrary: Sendable {
    private let entries: [Entry]

    /// A file with precomputed properties.
    private struct Entry: Sendable {
        let file: PublishedFile
        let rank: PublishedRank
        /// The file as R4, if it is of an older release.
        let inR4: Data?
        /// Whether it is included in searches: not a consent that can no longer be signed.
        let isListed: Bool

        init(_ file: PublishedFile) {
            self.file = file
            rank = PublishedRank(file.resource)
            inR4 = file.releases.contains(.r4) ? nil : file.inR4?.json.data()
            isListed =
                file.resource.resourceType != Contract.resourceType
                || (try? ConsentTemplate(file.resource))?.status != .retired
        }
    }

    /// A resource to be served.
    private struct Found {
        let entry: Entry
        let data: Data
        let release: FHIRVersion
    }

    /// Reads a study's folder.
    package init(_ folder: StudyFolder) {
        let files =
            folder.resources(in: folder.questionnairesURL, ofType: Questionnaire.resourceType)
            + folder.resources(in: folder.questionnairesURL, ofType: ValueSet.resourceType)
            + folder.contracts()
        entries = files.map(Entry.init)
    }

    /// Returns the resource with a type and id in the requested release. In order of preference: the unchanged file of
    /// that release; for R4, the newest older release converted to R4; the unchanged file of the nearest release.
    package func read(type: String, id: String, in release: FHIRRelease) -> PublishedReading.Answer? {
        let named = entries.filter { $0.file.resource.resourceType == type }
        var found = named.filter { $0.file.resource.id == id }
        if found.isEmpty { found = named.filter { $0.file.names.contains(id) } }
        let release = FHIRVersion(release)
        let best = Self.served(found, in: release) ?? Self.nearest(found, to: release)
        return best.map { PublishedReading.Answer(bytes: $0.data, release: FHIRRelease($0.release)) }
    }

    /// Returns a page of the resources that match all parameters, each version once, as a Bundle in the requested
    /// release. Resources that are published only in other releases are not included; a last entry gives their number.
    package func search(_ search: PublishedReading.Search) -> PublishedReading.Answer {
        let release = FHIRVersion(search.release)
        var groups: [[String?]: [Entry]] = [:]
        var order: [[String?]] = []
        for entry in entries where entry.file.resource.resourceType == search.type && entry.isListed {
            let key = [entry.file.name, entry.file.version]
            if groups[key] == nil { order.append(key) }
            groups[key, default: []].append(entry)
        }
        var used: [(name: String, value: String)] = []
        let known = search.parameters.compactMap { parameter in
            PublishedSearchParameter(rawValue: parameter.name).map { known in
                used.append(parameter)
                return (parameter: known, value: parameter.value)
            }
        }
        func matches(_ entry: Entry) -> Bool {
            known.allSatisfy { $0.parameter.matches(entry.file.resource, $0.value, ids: entry.file.names) }
        }
        var found: [Found] = []
        var named: Set<String> = []
        var others: Set<String> = []
        for key in order {
            let group = groups[key] ?? []
            let name = group.first?.file.name ?? ""
            if let one = Self.served(group, in: release) {
                named.insert(name)
                if matches(one.entry) { found.append(one) }
            } else if group.contains(where: matches) {
                others.insert(name)
            }
        }
        let bundle = PublishedBundle(search: search, used: used, total: found.count)
        let page = found.dropFirst(search.offset).prefix(search.count).map { (name: $0.entry.file.name, data: $0.data) }
        return PublishedReading.Answer(
            bytes: bundle.json(of: page, inOtherReleases: others.subtracting(named).count).data(),
            release: search.release)
    }

    /// Returns the unchanged file of a release, the newest version if there are several, or for R4 the conversion of
    /// an older release.
    private static func served(_ entries: [Entry], in release: FHIRVersion) -> Found? {
        // Of files with equal rank, the one with fewer possible releases, then the first.
        let exact = entries.enumerated().filter { $1.file.releases.contains(release) }.max { left, right in
            if left.element.rank != right.element.rank { return left.element.rank < right.element.rank }
            let (one, other) = (left.element.file.releases.count, right.element.file.releases.count)
            return one == other ? left.offset > right.offset : one > other
        }?.element
        if let exact { return Found(entry: exact, data: exact.file.data, release: release) }
        guard release == .r4 else { return nil }
        let older = entries.filter { $0.inR4 != nil }.max { ($0.file.release, $0.rank) < ($1.file.release, $1.rank) }
        return older.flatMap { entry in entry.inR4.map { Found(entry: entry, data: $0, release: .r4) } }
    }

    private static func nearest(_ entries: [Entry], to release: FHIRVersion) -> Found? {
        release.nearest.lazy.compactMap { near in
            served(entries.filter { $0.file.releases.contains(near) }, in: near)
        }.first
    }
}

extension FHIRVersion {
    /// Returns the release that a media type names.
    init(_ release: FHIRRelease) {
        self =
            switch release {
            case .dstu2: .dstu2
            case .stu3: .stu3
            case .r4: .r4
            }
    }
}

extension FHIRRelease {
    /// Returns the name of a release in media types.
    fileprivate init(_ version: FHIRVersion) {
        self =
            switch version {
            case .dstu2: .dstu2
            case .stu3: .stu3
            case .r4: .r4
            }
    }
}
