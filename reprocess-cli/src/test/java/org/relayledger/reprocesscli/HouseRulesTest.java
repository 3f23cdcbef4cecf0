package org.relayledger.reprocesscli;

import org.relayledger.testing.HouseRules;

final class HouseRulesTest extends HouseRules {}
