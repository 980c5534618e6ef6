import { hostname } from 'node:os';
import { describe, expect, it } from 'vitest';
import { Gpid, resourceAttributes, thisProcess } from '../src/index.js';

describe('resourceAttributes', () => {
  it('says what the gpid of another machine says, and nothing of this machine', () => {
    expect(resourceAttributes(Gpid.parse('10.0.0.7:8888:1307761900123456:4711'))).toEqual({
      // Python: uuid.uuid5(uuid.UUID('4d63009a-8d0f-11ee-aad7-4c796ed8e320'),
      // '10.0.0.7:8888:1307761900123456:4711')
      'service.instance.id': 'ce0592d0-5abc-52dc-97bf-ce8cfb64d2ff',
      'process.pid': 4711,
      'process.creation.time': '2011-06-11T03:11:40.123456Z',
      'host.ip': ['10.0.0.7'],
    });
  });

  it('leaves out loopback addresses, as the conventions ask', () => {
    expect(resourceAttributes(Gpid.parse('[::1]:1:2:3'))).not.toHaveProperty(['host.ip']);
  });

  it.runIf(process.platform === 'linux')('names the host of a process of this machine', () => {
    const attributes = resourceAttributes(thisProcess({ port: 80, address: '10.0.0.7' }));
    expect(attributes).toMatchObject({ 'host.name': hostname(), 'process.pid': process.pid });
  });
});
