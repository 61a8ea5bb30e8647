import Attachments
import FHIR
import HealthData
import HealthSync

extension HealthSpecial {
    /// The resources as they leave the device: images without metadata about location, time and camera.
    public var cleanResources: [JSON] { resources.map(HealthSpecial.clean) }

    static func clean(_ resource: JSON) -> JSON {
        resource.object.map { .object(AttachmentCleaning().clean($0).object) } ?? resource
    }
}

extension OutgoingSample {
    /// The resources as they leave the device, each with its type and its JSON, without a newline.
    var leaving: [(type: String, text: [UInt8])] {
        switch content {
        case .observation: [("Observation", lines.last == 0x0A ? Array(lines.dropLast()) : lines)]
        case .special(let special): special.cleanResources.map { ($0.resourceTypeText, $0.bytes()) }
        case .other(let resource):
            [(resource.resourceTypeText, HealthSpecial.clean(resource).bytes())]
        }
    }

    /// The id of its first resource.
    var resourceID: String {
        targets.first?.split(separator: "/", maxSplits: 1).last.map(String.init) ?? ""
    }
}

extension JSON {
    fileprivate var resourceTypeText: String { self["resourceType"]?.string ?? "" }
}
