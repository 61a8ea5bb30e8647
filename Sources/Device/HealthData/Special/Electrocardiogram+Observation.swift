import FHIR

extension Electrocardiogram {
    /// The observation.
    ///
    /// The voltages are one SampledData: a recording of 30 seconds has some 15 000 of them, about 140 kB, and cut in
    /// pieces each piece would need an offset that R4 has no element for.
    public func observation(subject: String?, device: JSON? = nil, extensions: [JSON] = []) -> Observation {
        var parts = ObservationParts()
        parts.add(
            Self.code("NumberOfVoltageMeasurements", "Number of Voltage Measurements"), "Integer",
            .number(JSONNumber(voltages.series.count)))
        parts.add(
            Self.code("SamplingFrequency", "Sampling Frequency"),
            SpecialQuantity(samplingFrequency, SpecialMeasure.frequency.unit))
        let code = Self.code("Classification", "Electrocardiogram Classification")
        parts.add(code, classification?.option)
        if hasUnknownClassification {
            parts.addUnknown(code, "The classification is in words that are not recognised.")
        }
        parts.add(
            ComponentCode.heartRate, averageHeartRate.map { SpecialQuantity($0, SpecialMeasure.beats.unit) })
        parts.add(Self.code("SymptomsStatus", "Electrocardiogram Symptoms Status"), symptoms?.option)
        parts.add(
            Self.voltageCode, "SampledData",
            voltages.series.sampledData(
                HealthUnit("uV", "uV"), period: period,
                factor: voltages.microvoltFactor == 1 ? nil : voltages.microvoltFactor))
        return observation(subject: subject, device: device, extensions: extensions, parts)
    }

    public func resource(subject: String?, device: JSON?, extensions: [JSON]) -> JSON {
        observation(subject: subject, device: device, extensions: extensions).json
    }

    private static func code(_ name: String, _ title: String) -> JSON {
        ComponentCode.healthKit("HKElectrocardiogram." + name, title)
    }

    private static let voltageCode = CodeableConcept(
        coding: [Coding(system: DeviceNomenclature.system, code: "131329", display: "MDC_ECG_ELEC_POTL_I")],
        text: "Voltage, lead I"
    ).json
}
