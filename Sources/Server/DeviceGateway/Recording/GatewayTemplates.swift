import Core

/// The templates of a study: device templates find readings in events, and FHIR templates make Observations of them.
package struct GatewayTemplates: Sendable {
    let device: DeviceTemplates
    let fhir: FHIRTemplates

    /// - Parameters:
    ///   - device: `devicecontent.json`.
    ///   - fhir: `fhirmapping.json`.
    /// - Throws: ``TemplateError``.
    package init(device: JSON, fhir: JSON) throws(TemplateError) {
        self.device = try DeviceTemplates(device)
        self.fhir = try FHIRTemplates(fhir)
    }
}
