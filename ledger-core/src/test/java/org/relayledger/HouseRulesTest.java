package org.relayledger;

import org.relayledger.testing.HouseRules;

final class HouseRulesTest extends HouseRules {}
