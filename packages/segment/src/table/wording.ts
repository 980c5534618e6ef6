import type { TableWording } from '@ids/store';

export const SEGMENT_TABLE: TableWording = {
  what: 'segment table',
  create: 'ensureSchema or segmentSchema',
  lost: 'its sequences must start above all IDs that were issued',
  grants: 'segmentGrants',
  column: 'max_id',
};

export const DEFAULT_TABLE = 'id_segment';
